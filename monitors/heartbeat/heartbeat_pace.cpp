#include "monitors/heartbeat/heartbeat_pace.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds usual = std::chrono::seconds(1);
constexpr nanoseconds shortest = std::chrono::milliseconds(10);  // unless the user chose a shorter one

// A server that was skipped did not make the pull wait.
bool was_waited_for(const Missing& missing) {
  return missing.cause == MissingCause::no_answer || missing.cause == MissingCause::late;
}

}  // namespace

HeartbeatPace::HeartbeatPace(const Wishes& wishes, nanoseconds patience)
    : wishes_(wishes),
      patience_(wishes.timeout.count() > 0 ? wishes.timeout : patience),
      interval_(wishes.interval.value_or(std::clamp(half(), shortest, usual))) {}

std::optional<std::string> HeartbeatPace::complaint() const {
  if (interval_ <= half()) return std::nullopt;
  return fmt::format(
      "with one pull every {}, a stall may be reported more than {} after it began, twice the --stall time "
      "of {}; use --interval {} or less",
      short_duration(interval_), short_duration(2 * wishes_.stall), short_duration(wishes_.stall),
      short_duration(half()));
}

nanoseconds HeartbeatPace::timeout() const noexcept {
  const bool may_cut = is_one_silent_ && wishes_.timeout.count() == 0;
  if (!may_cut) return patience_;
  return std::clamp(wishes_.stall / 4, std::min(shortest, patience_), patience_);
}

void HeartbeatPace::pulled(Time at, const View& view) {
  begun_ = at;
  is_one_silent_ = std::ranges::any_of(view.missing, was_waited_for);
}

nanoseconds HeartbeatPace::pause(Time now) const {
  const auto since = std::clamp<nanoseconds>(now - begun_, nanoseconds(0), interval_);
  return interval_ - since;
}

}  // namespace eventspace
