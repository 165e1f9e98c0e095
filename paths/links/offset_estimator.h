#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "paths/views/clock_relation.h"

namespace eventspace {

/// A request and its reply, as a comparison of two clocks.
struct ClockExchange {
  std::int64_t sent_ns{0};      ///< by the asker's clock, before the request left
  std::int64_t received_ns{0};  ///< by the server's clock, after it had come
  std::int64_t answered_ns{0};  ///< by the server's clock, before the reply left
  std::int64_t arrived_ns{0};   ///< by the asker's clock, after it had come
};

/// How the clock of a server (there) is read on the clock of who asks it (here), from their exchanges alone.
///
/// The bound is certain, however much longer one way takes than the other, as long as neither clock jumps and
/// their rates differ by `largest_drift_ppm` at most. Let D be here - there. A message arrives after it was
/// sent, so each exchange says that D was at least sent - received when the request was received, and at most
/// arrived - answered when the reply was sent; at a distance d from then it is within largest_drift * d of
/// that. The bound is where all these hold. If there is no such place a clock has jumped: everything from
/// before is dropped, and the jump is counted. A jump that is smaller than the bound is not noticed.
///
/// The estimate lies within the bound: a line through the middles of the fastest exchanges of the last
/// minutes, where these span enough time to tell a drift from their delays.
///
/// Bounded memory; add is O(1), relation O(exchanges kept). Pure: reads no clock. Not thread-safe.
class OffsetEstimator {
 public:
  struct Config {
    double largest_drift_ppm{200};  ///< what two crystals and whoever disciplines them may differ by
    std::size_t recent{64};         ///< exchanges kept to bound the time between them
    std::size_t fastest{64};        ///< exchanges kept to estimate, the fastest one of each...
    std::int64_t period_ns{1'000'000'000};
    std::int64_t oldest_ns{300'000'000'000};  ///< not older than this
  };

  OffsetEstimator() : OffsetEstimator(Config{}) {}
  explicit OffsetEstimator(const Config& config) : config_(config) {}

  /// In the order in which the replies arrived.
  void add(const ClockExchange& exchange);
  /// From here on the server's clock is another one.
  void begin_anew();

  /// As of the last exchange; unknown before the first.
  [[nodiscard]] ClockRelation relation() const;
  [[nodiscard]] std::uint32_t jumps() const noexcept { return jumps_; }
  /// What both ways of an exchange took together, at most.
  [[nodiscard]] std::int64_t delay_ns(const ClockExchange& exchange) const noexcept;
  /// That of the fastest exchange that is kept; nothing before the first.
  [[nodiscard]] std::optional<std::int64_t> fastest_ns() const noexcept { return fastest_ns_; }

 private:
  struct Line {
    double offset;  // at_ns_, above lower_
    double drift;
  };
  void begin_with(const ClockExchange& exchange);
  [[nodiscard]] bool narrow(const ClockExchange& exchange);
  void keep(const ClockExchange& exchange);
  void keep_if_fast(const ClockExchange& exchange);
  void jump(const ClockExchange& exchange);
  void forget();
  [[nodiscard]] std::int64_t widening(std::int64_t distance) const noexcept;
  [[nodiscard]] Line line() const;
  [[nodiscard]] std::int64_t covered_error(std::int64_t estimate, double drift) const;

  Config config_;
  bool knows_{false};
  std::int64_t at_ns_{0};  // there: the latest moment at which a reply was sent
  std::int64_t lower_{0};  // D lies between these then
  std::int64_t upper_{0};
  std::int64_t sent_ns_{0};  // here: before then
  std::int64_t bounded_since_{ClockRelation::always};
  std::uint32_t jumps_{0};
  std::deque<ClockExchange> recent_;        // in the order of both their times there
  std::deque<ClockExchange> fastest_;       // one for each period
  std::optional<std::int64_t> fastest_ns_;  // of these
};

}  // namespace eventspace
