#pragma once

#include <cstdint>

#include "paths/offset_estimator.h"
#include "paths/wire.h"

namespace eventspace {

/// What one asker knows of the clock of one server, from the times in its replies. A server that says that it
/// reads the asker's own clock is believed for as long as no exchange contradicts it: then nothing has to be
/// estimated. Pure. Not thread-safe.
class ServerClock {
 public:
  /// `own`: the identity of the asker's clock, 0 if unknown.
  explicit ServerClock(std::uint64_t own) noexcept : own_(own) {}

  /// A reply that came at `arrived_ns` to a request that was sent at `sent_ns`.
  void compare(std::uint64_t sent_ns, const wire::ServerTimes& times, std::uint64_t arrived_ns);
  /// From the server's clock to the asker's.
  [[nodiscard]] ClockRelation relation() const;

 private:
  [[nodiscard]] bool is_own() const noexcept { return theirs_ != 0 && theirs_ == own_ && !contradicted_; }

  std::uint64_t own_;
  std::uint64_t theirs_{0};
  bool heard_{false};
  bool contradicted_{false};  // two machines that were made from one image, say
  OffsetEstimator estimator_;
};

}  // namespace eventspace
