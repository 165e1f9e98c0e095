#pragma once

#include <cstdint>

#include "paths/links/offset_estimator.h"
#include "paths/wire/wire.h"

namespace eventspace {

/// What one asker knows of the clock of one server, from the times in its replies. A server that says that it
/// reads the asker's own clock is believed for as long as no exchange contradicts it: then nothing has to be
/// estimated. Pure. Not thread-safe.
class ServerClock {
 public:
  /// For so long after a fast exchange the next tells little more: a bound of 200 ppm grows by 50 us, about
  /// what such an exchange leaves open.
  static constexpr std::uint64_t fresh_for_ns = 250'000'000;

  /// `own`: the identity of the asker's clock, 0 if unknown.
  explicit ServerClock(std::uint64_t own) noexcept : own_(own) {}

  /// A reply that came at `arrived_ns` to a request that was sent at `sent_ns`.
  void compare(std::uint64_t sent_ns, const wire::ServerTimes& times, std::uint64_t arrived_ns);
  /// Whether exchanges are worth making at `now_ns`, by the asker's clock, only to compare the clocks: both
  /// are not one, and no exchange of late was about as fast as they can be. Nothing is worth it before the
  /// first.
  [[nodiscard]] bool is_stale(std::uint64_t now_ns) const noexcept;
  /// From the server's clock to the asker's.
  [[nodiscard]] ClockRelation relation() const;

 private:
  [[nodiscard]] bool is_own() const noexcept { return theirs_ != 0 && theirs_ == own_ && !contradicted_; }

  std::uint64_t own_;
  std::uint64_t theirs_{0};
  bool heard_{false};
  bool contradicted_{false};     // two machines that were made from one image, say
  std::uint64_t fast_at_ns_{0};  // when the last reply of a fast exchange came
  OffsetEstimator estimator_;
};

}  // namespace eventspace
