#include "monitors/tune/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "monitors/text/text_format.h"

namespace eventspace::tune {
namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

}  // namespace

Slices::Slices(StepCount& steps, EndingWait wait, const Settings& settings)
    : steps_(steps), wait_(std::move(wait)), settings_(settings), random_(settings.seed) {}

bool Slices::is_over() {
  if (over_.empty() && wait_({})) over_ = "interrupted";
  if (over_.empty() && Clock::now() >= settings_.end) over_ = "the time is up";
  return !over_.empty();
}

void Slices::give_up(std::string why) {
  over_ = std::move(why);
  failed_ = true;
}

std::optional<StepReading> Slices::read() {
  const Clock::time_point begin = Clock::now();
  while (!is_over()) {
    StepReading reading = steps_.read();
    if (reading.missing.empty() && !reading.over) return reading;
    if (Clock::now() - begin >= settings_.patience) {
      give_up(reading.over ? "the application has ended, or is not running"
                           : "the application's steps cannot be read: " + reading.missing);
    } else {
      wait_(20ms);
    }
  }
  return std::nullopt;
}

std::optional<StepReading> Slices::wait_for_step_after(const StepReading& reading) {
  const Clock::time_point begin = Clock::now();
  while (auto now = read()) {
    if (now->steps != reading.steps) return now;
    if (Clock::now() - begin >= settings_.patience) {
      give_up(fmt::format("the application completed no step for {}", short_duration(settings_.patience)));
    } else {
      wait_(20ms);
    }
  }
  return std::nullopt;
}

void Slices::settle() {
  const auto before = read();
  const auto begin = before ? wait_for_step_after(*before) : std::nullopt;
  if (!begin) return;
  const Clock::time_point longest = Clock::now() + longest_slice;
  auto now = begin;
  while (now && now->steps - begin->steps < wanted_steps && Clock::now() < longest) {
    wait_(10ms);
    now = read();
  }
  if (now)
    settings_.slice =
        std::max<nanoseconds>(settings_.slice, std::min<nanoseconds>(now->at - begin->at, longest_slice));
}

Slices::Trial Slices::measure(Consumer& consumer, const ScopeTree& tree) {
  Trial trial;
  EventScope scope = consumer.open(tree);
  if (!warm_up(scope, trial)) return trial;
  for (std::size_t tries = 0; tries < 3 * settings_.pairs && trial.pairs.size() < settings_.pairs; ++tries) {
    if (const auto made = pair(scope, trial)) {
      trial.pairs.push_back(*made);
      if (settings_.observer != nullptr) settings_.observer->observe(*made);
    }
    if (is_over() || !trial.unusable.empty()) break;
  }
  if (trial.pairs.empty() && over_.empty() && trial.unusable.empty())
    trial.unusable = "the application made no step while it was pulled";
  if (!trial.pairs.empty()) trial.unusable.clear();
  return trial;
}

/// Pulls up to three times until a view is complete, because servers open their parts of a scope at the first
/// pull, and some may be late.
bool Slices::warm_up(EventScope& scope, Trial& trial) {
  for (int tries = 0; tries < 3 && !is_over(); ++tries) {
    const View view = scope.pull({});
    trial.unusable = view.missing.empty() ? "" : "not whole: " + first_missing(view);
    if (view.missing.empty()) return true;
  }
  // If the steps cannot be read either, the tree is not the cause.
  if (!read()) trial.unusable.clear();
  return false;
}

std::optional<SlicePair> Slices::pair(EventScope& scope, Trial& trial) {
  const bool with_first = random_() % 2 == 0;
  const auto first = run(with_first ? &scope : nullptr, trial);
  if (!first) return std::nullopt;
  const auto second = run(with_first ? nullptr : &scope, trial);
  if (!second) return std::nullopt;
  const Slice& with = with_first ? *first : *second;
  const Slice& without = with_first ? *second : *first;
  return SlicePair{with.views, without.steps / with.steps};
}

std::optional<Slices::Slice> Slices::run(EventScope* scope, Trial& trial) {
  // Reads the events that were recorded since the previous pull, so that they do not count for this slice.
  if (scope != nullptr) (void)scope->pull({});
  const auto before = read();
  if (!before) return std::nullopt;
  PacedPulls pulls;
  if (scope != nullptr) {
    pulls = pull_at_pace(*scope, settings_.slice, settings_.pace, wait_, settings_.observer);
    if (pulls.whole == 0) trial.unusable = "not whole: " + pulls.missing;
  } else {
    wait_(settings_.slice);
  }
  const auto after = read();
  if (!after || (scope != nullptr && pulls.whole == 0)) return std::nullopt;
  if (after->steps == before->steps) (void)wait_for_step_after(*after);
  // Fewer steps than before: the application was restarted.
  if (after->steps <= before->steps) return std::nullopt;
  const double seconds = duration<double>(after->at - before->at).count();
  return Slice{static_cast<double>(after->steps - before->steps) / seconds, pulls.rate};
}

}  // namespace eventspace::tune
