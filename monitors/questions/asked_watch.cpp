#include "monitors/questions/asked_watch.h"

#include <chrono>
#include <iostream>
#include <utility>

#include "monitors/questions/question_options.h"
#include "monitors/watching/newest_of_each.h"
#include "monitors/watching/reach.h"
#include "monitors/watching/recorded_session.h"

namespace eventspace {

namespace {

AskedScope asked_of(const Watched& watched, AskedScope asked) {
  if (watched.recorded != nullptr) asked.finish = nullptr;
  return asked;
}

}  // namespace

AskedWatch::AskedWatch(const WatchOptions& options, const Extent& extent,
                       const std::function<AskedScope(const Plan&)>& ask)
    : options_(options),
      signals_(extent.on_screen ? StopSignals::of_screen() : StopSignals()),
      watched_(find_watched(options.pathmap, options.session, Recordings::accepted)),
      time_(timeline_of(watched_, signals_, {options.played.at, extent.part})),
      consumer_(consumer_of(watched_)),
      views_(open_asked(consumer_, watched_.pathmap, asked_of(watched_, ask(consumer_.plan())))),
      loop_(*time_, limits(extent)),
      pulls_(*time_, consumer_.names()),
      losses_until_(loop_.now() - std::chrono::nanoseconds(1)) {
  if (is_recorded()) spans_.emplace(watched_.recorded->replay().recording());
  if (tree().next && tree().look.count() == 0 && !is_recorded())  // a subscription returns only news
    loop_.read_rest(pulls_.rest_of(tree(), [this](const EventScope::Options& at) {
      return consumer_.open(newest_of_each(tree())).pull(at);
    }));
}

WatchLoop::Limits AskedWatch::limits(const Extent& extent) const {
  WatchLoop::Limits limits = options_.limits();
  limits.looks = is_recorded() ? extent.looks_at_recording : extent.looks;
  return limits;
}

void AskedWatch::run(const std::function<WatchLoop::Pause()>& look) {
  print_damage(watched_, options_.format);
  require_servers(consumer_, tree(), {options_.pathmap, options_.session}, options_.timeout);
  loop_.run(look);
}

View AskedWatch::pull(const Wishes& wishes) {
  return pulls_.pull(views_, {.deadline = pull_deadline(options_.timeout),
                              .with_usage = wishes.with_usage,
                              .with_in_flight = wishes.with_in_flight});
}

View AskedWatch::pull_newest() {
  if (!newest_) newest_.emplace(consumer_.open(as_of_newest(tree())));
  return pulls_.pull_beside(*newest_, {.deadline = pull_deadline(options_.timeout)});
}

std::uint64_t AskedWatch::losses() const {
  const Loss& loss = pulls_.tally().loss;
  return loss.discarded + loss.torn + loss.emptied + loss.failed;
}

std::uint64_t AskedWatch::take_losses() {
  const std::uint64_t before = std::exchange(losses_taken_, losses());
  const std::uint64_t lost = losses_taken_ - before;
  const Timeline::Time now = loop_.now();
  const Timeline::Time since = std::exchange(losses_until_, now);
  return spans_ ? spans_->take(since.time_since_epoch().count(), now.time_since_epoch().count(), lost) : lost;
}

bool AskedWatch::is_time_up() const {
  return options_.duration.count() > 0 && loop_.elapsed() >= options_.duration;
}

std::optional<View> AskedWatch::await_news(const Wishes& wishes, Deadline limit) {
  constexpr std::chrono::milliseconds between_signals{50};  // signals are checked in between
  while (!limit.passed() && !is_time_up() && !loop_.wait({})) {
    View view = pulls_.pull_waiting(views_, {.deadline = earlier(limit, Deadline::after(between_signals)),
                                             .with_usage = wishes.with_usage,
                                             .with_in_flight = wishes.with_in_flight});
    if (!news_.is_in(view)) continue;
    news_.note(view);
    pulls_.count(view);
    return view;
  }
  return std::nullopt;
}

void AskedWatch::change(const AskedScope& asked) {
  if (is_recorded()) return;
  views_.scope().reconfigure(asked_scope(watched_.pathmap, consumer_.plan(), asked));
}

int AskedWatch::conclude() const {
  return pulls_.conclude(std::cerr, options_, loop_.elapsed(), consumer_.traffic());
}

}  // namespace eventspace
