#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <span>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {

/// How long a recorder waits from pull to pull. A pull costs processor time for each trace element with news,
/// however few events these have; so where all trace elements fill slowly, pulls can be fewer, as long as
/// none can be full before the next one:
///
///     pause = the last time between pulls * (a sixteenth of a trace element / the most events of one)
///
/// within limits. It grows twofold at most from pull to pull. Where nothing is recorded, or events were lost,
/// it is the shortest one: nothing is known of what comes then. So a rate that becomes sixteen times as high
/// loses nothing. Pure; used by one thread.
class PullPace {
 public:
  struct Config {
    std::chrono::nanoseconds shortest{std::chrono::milliseconds(20)};
    std::chrono::nanoseconds longest{std::chrono::milliseconds(100)};
    /// The fewest events that one of the trace elements keeps, at least 1.
    std::uint64_t threshold{200};
  };
  explicit PullPace(const Config& config) : config_(config), pause_(config.shortest) {}

  /// A pull had these records, of each trace element together.
  void see(std::span<const TraceTuple> records) noexcept;
  /// Events were lost before they were read, or more were there than one pull takes.
  void hurry() noexcept { hurries_ = true; }
  /// All pulls of a turn were seen. Returns how long to wait, after `elapsed` since the turn before.
  std::chrono::nanoseconds next(std::chrono::nanoseconds elapsed) noexcept;

 private:
  Config config_;
  std::chrono::nanoseconds pause_;
  std::uint64_t most_{0};  // records of one trace element in this turn
  bool hurries_{false};
};

}  // namespace eventspace
