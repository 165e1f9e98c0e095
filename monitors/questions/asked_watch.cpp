#include "monitors/questions/asked_watch.h"

#include <chrono>
#include <iostream>
#include <utility>

#include "monitors/budget/budget_keeper.h"
#include "monitors/cli/command.h"
#include "monitors/questions/question_options.h"
#include "scopes/tree/newest_of_each.h"

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
      on_screen_(extent.on_screen),
      session_(options.pathmap, options.session, {options.played.at, extent.part}, extent.on_screen),
      views_(open_asked(session_.consumer, watched().pathmap, asked_of(watched(), ask(plan())))),
      loop_(*session_.time, limits(extent)),
      pulls_(*session_.time, names()),
      losses_until_(loop_.now() - std::chrono::nanoseconds(1)) {
  if (is_recorded()) spans_.emplace(watched().recorded->replay().recording());
  if (tree().next && tree().look.count() == 0 && !is_recorded())  // a subscription returns only news
    loop_.read_rest(pulls_.rest_of(tree(), [this](const EventScope::Options& at) {
      return session_.consumer.open(newest_of_each(tree())).pull(at);
    }));
}

WatchLoop::Limits AskedWatch::limits(const Extent& extent) const {
  WatchLoop::Limits limits = options_.limits();
  limits.looks = is_recorded() ? extent.looks_at_recording : extent.looks;
  return limits;
}

void AskedWatch::run(const std::function<WatchLoop::Pause()>& look) {
  session_.require(tree(), options_.timeout, options_.format);
  BudgetKeeper::Uses uses;
  if (on_screen_) uses.say = budget_lines_.say();
  BudgetKeeper budget(options_.budget, watched(), std::move(uses));
  loop_.run(look);
  budget_status_ = budget.status(exit_fine);
}

View AskedWatch::pull(const Wishes& wishes) {
  return pulls_.pull(views_, {.deadline = pull_deadline(options_.timeout),
                              .with_usage = wishes.with_usage,
                              .with_in_flight = wishes.with_in_flight});
}

View AskedWatch::pull_newest() {
  if (!newest_) newest_.emplace(session_.consumer.open(as_of_newest(tree())));
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
  views_.scope().reconfigure(asked_scope(watched().pathmap, session_.consumer.plan(), asked));
}

int AskedWatch::conclude() {
  budget_lines_.print();
  const int status = pulls_.conclude(std::cerr, options_, loop_.elapsed(), session_.consumer.traffic());
  return status == exit_fine ? budget_status_ : status;
}

}  // namespace eventspace
