#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "paths/views/clock_relation.h"

namespace eventspace {

/// The four times of a request and its reply, which compare two clocks.
struct ClockExchange {
  std::int64_t sent_ns{0};      ///< client's clock, before the request was sent
  std::int64_t received_ns{0};  ///< server's clock, after the request was received
  std::int64_t answered_ns{0};  ///< server's clock, before the reply was sent
  std::int64_t arrived_ns{0};   ///< client's clock, after the reply had arrived
};

/// Estimates the relation between the clock of a server (there) and the clock of its client (here), with a
/// bound on the error, only from their exchanges.
///
/// The bound is certain, however different the delays of the two ways are, as long as neither clock jumps and
/// their rates differ by at most `largest_drift_ppm`. Let D be here - there. A message arrives after it was
/// sent. So D was at least sent - received at the time when the request was received, and at most arrived -
/// answered at the time when the reply was sent; at a distance d from these times, each limit is looser by
/// `largest_drift_ppm` millionths of d. The bound is the intersection of all these limits. If it is empty, a
/// clock has jumped: the estimator drops all earlier exchanges and counts the jump. A jump smaller than the
/// bound is not noticed.
///
/// The estimate lies within the bound: a line through the midpoints of the fastest exchanges of the last
/// minutes, if these span enough time to distinguish drift from variation of the delays.
///
/// Memory is bounded; add() is O(1), relation() is O(exchanges kept). Reads no clock. Not thread-safe.
class OffsetEstimator {
 public:
  struct Config {
    double largest_drift_ppm{200};  ///< by which two crystals, and their disciplining, may differ
    std::size_t recent{64};         ///< recent exchanges kept, for the bound
    std::size_t fastest{64};        ///< exchanges kept for the estimate, the fastest one of each period
    std::int64_t period_ns{1'000'000'000};
    std::int64_t oldest_ns{300'000'000'000};  ///< older exchanges are not used for the estimate
  };

  OffsetEstimator() : OffsetEstimator(Config{}) {}
  explicit OffsetEstimator(const Config& config) : config_(config) {}

  /// Adds an exchange. Exchanges must be added in the order in which the replies arrived.
  void add(const ClockExchange& exchange);
  /// Forgets all exchanges and counts a jump: the server now has another clock.
  void begin_anew();

  /// The relation as of the last exchange; unknown before the first.
  [[nodiscard]] ClockRelation relation() const;
  /// Jumps of either clock that were noticed.
  [[nodiscard]] std::uint32_t jumps() const noexcept { return jumps_; }
  /// An upper bound of the delay of both ways of an exchange together.
  [[nodiscard]] std::int64_t delay_ns(const ClockExchange& exchange) const noexcept;
  /// The delay of the fastest exchange kept; nothing before the first exchange.
  [[nodiscard]] std::optional<std::int64_t> fastest_ns() const noexcept { return fastest_ns_; }

 private:
  struct Line {
    double offset;  // at at_ns_, relative to lower_
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
  std::int64_t at_ns_{0};  // there: the latest time at which a reply was sent
  std::int64_t lower_{0};  // bounds of D at that time
  std::int64_t upper_{0};
  std::int64_t sent_ns_{0};  // here: a time before at_ns_
  std::int64_t bounded_since_{ClockRelation::always};
  std::uint32_t jumps_{0};
  std::deque<ClockExchange> recent_;        // ascending in both server times
  std::deque<ClockExchange> fastest_;       // one for each period
  std::optional<std::int64_t> fastest_ns_;  // of these
};

}  // namespace eventspace
