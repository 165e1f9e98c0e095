#pragma once

// Private to scopes/.

#include <chrono>
#include <cstdint>
#include <optional>

namespace eventspace::streams {

/// Decides whether what a caller sends leaves at once, or together with what it sends next. A caller that
/// takes packets which wait for it, and answers each of them without pause, sends all its answers as one
/// message. Anything else leaves at once: what is sent by a caller that has nothing more to take, or that
/// took its last packet some time ago, as it may be slow with the next one too.
///
/// What is held leaves, at the latest, with the first call after `longest`, or when the caller waits.
/// Does no I/O; not thread-safe.
class Holding {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds longest{200};

  /// The caller has taken a packet.
  void taken(Clock::time_point now) noexcept { taken_ = now; }
  /// The caller has sent something: whether it may be held. `more`: the caller is expected to go on at once,
  /// as there is another packet to take, for example.
  [[nodiscard]] bool may_hold(bool more, Clock::time_point now) noexcept {
    if (!more || !taken_ || now - *taken_ >= longest) return false;
    if (!since_) since_ = now;
    return now - *since_ < longest;
  }
  /// Something is held, and has been for too long.
  [[nodiscard]] bool is_due(Clock::time_point now) const noexcept {
    return since_ && now - *since_ >= longest;
  }
  void released() noexcept { since_.reset(); }

 private:
  std::optional<Clock::time_point> taken_;  // when the caller took the last packet
  std::optional<Clock::time_point> since_;  // when the first of what is held was sent
};

/// The packets that the front-end has sent on a busy stream, and that wait for more to go with them: as long
/// as more packets are on the way, unanswered, than wait, and for `longest` at most, which delays none of
/// them: the slowest child has several packets to answer before these. So at full load half of a window is on
/// the way while the other half collects. A stream with few packets on the way is not busy, and its packets
/// do not wait. Does no I/O; not thread-safe.
class BusyStream {
 public:
  using Clock = Holding::Clock;
  static constexpr std::uint64_t busy_from = 8;  ///< packets on the way
  static constexpr std::chrono::milliseconds longest{20};

  void sent(Clock::time_point now) noexcept {
    if (waiting_++ == 0) since_ = now;
  }
  /// Whether the packets wait on. `unanswered`: packets that were sent, including those that wait, and have
  /// had no answer; more than `most` of them are no packets that are answered.
  [[nodiscard]] bool waits(std::uint64_t unanswered, std::uint64_t most,
                           Clock::time_point now) const noexcept {
    const std::uint64_t on_the_way = unanswered - waiting_;
    return waiting_ > 0 && unanswered >= waiting_ && unanswered <= most && on_the_way >= busy_from &&
           waiting_ < on_the_way && now < due();
  }
  void released() noexcept { waiting_ = 0; }
  [[nodiscard]] bool has_waiting() const noexcept { return waiting_ > 0; }
  [[nodiscard]] Clock::time_point due() const noexcept { return since_ + longest; }

 private:
  std::uint64_t waiting_{0};
  Clock::time_point since_;
};

}  // namespace eventspace::streams
