#pragma once

#include <cstdint>

#include "paths/links/offset_estimator.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// A client's estimate of the clock of one server, from the times in the server's replies. If the identities
/// show that both read the same clock, nothing is estimated; the client assumes this unless an exchange
/// contradicts it. Reads no clock. Not thread-safe.
class ServerClock {
 public:
  /// How long after a fast exchange another exchange yields little: at 200 ppm the bound grows by 50 us in
  /// that time, about as much as the exchange left open.
  static constexpr std::uint64_t fresh_for_ns = 250'000'000;

  /// `own`: the identity of the client's clock, 0 if unknown.
  explicit ServerClock(std::uint64_t own) noexcept : own_(own) {}

  /// Adds an exchange: a request sent at `sent_ns` whose reply arrived at `arrived_ns`, by the client's
  /// clock.
  void compare(std::uint64_t sent_ns, const wire::ServerTimes& times, std::uint64_t arrived_ns);
  /// Whether it is worth sending pings at `now_ns` (client's clock) just to compare the clocks: they are
  /// different clocks, and there was no fast exchange within fresh_for_ns. False before the first exchange.
  [[nodiscard]] bool is_stale(std::uint64_t now_ns) const noexcept;
  /// Converts the server's clock to the client's.
  [[nodiscard]] ClockRelation relation() const;

 private:
  [[nodiscard]] bool is_own() const noexcept { return theirs_ != 0 && theirs_ == own_ && !contradicted_; }

  std::uint64_t own_;
  std::uint64_t theirs_{0};
  bool heard_{false};
  bool contradicted_{false};     // equal identities of different clocks, such as two machines with one image
  std::uint64_t fast_at_ns_{0};  // when the reply of the last fast exchange arrived
  OffsetEstimator estimator_;
};

}  // namespace eventspace
