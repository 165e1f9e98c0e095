#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// Computes a recorder's pause between pulls. A pull costs processor time for each trace element with new
/// events, however few; so if all trace elements fill slowly, pulls can be less frequent, as long as none can
/// fill up before the next pull:
///
///     pause = the last time between pulls * (a sixteenth of a trace element / the most events of one)
///
/// within limits. It at most doubles from pull to pull. If no events are recorded, or events were lost, it is
/// the shortest pause, because the rate that follows is unknown. So a sixteenfold increase of the rate does
/// not lose events. Pure; used by one thread.
class PullPace {
 public:
  struct Config {
    std::chrono::nanoseconds shortest{std::chrono::milliseconds(20)};
    std::chrono::nanoseconds longest{std::chrono::milliseconds(100)};
    /// The fewest events that one of the trace elements keeps, at least 1.
    std::uint64_t threshold{200};
  };
  explicit PullPace(const Config& config) : config_(config), pause_(config.shortest) {}

  /// Adds the records of a pull; the records of each trace element are together.
  void see(std::span<const TraceTuple> records) noexcept;
  /// Events were lost before they were read, or there were more than one pull takes.
  void hurry() noexcept { hurries_ = true; }
  /// Ends a turn of pulls. Returns the pause, given `elapsed` since the previous turn.
  std::chrono::nanoseconds next(std::chrono::nanoseconds elapsed) noexcept;

 private:
  Config config_;
  std::chrono::nanoseconds pause_;
  std::uint64_t most_{0};  // records of one trace element in this turn
  bool hurries_{false};
};

}  // namespace eventspace
