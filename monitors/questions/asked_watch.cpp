#include "monitors/questions/asked_watch.h"

#include <chrono>
#include <iostream>

#include "monitors/questions/question_options.h"
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
      pulls_(*time_, consumer_.names()) {}

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

bool AskedWatch::is_time_up() const {
  return options_.duration.count() > 0 && loop_.elapsed() >= options_.duration;
}

std::optional<View> AskedWatch::await_news(const Wishes& wishes, Deadline limit) {
  constexpr std::chrono::milliseconds between_signals{50};  // they are looked for in between
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
