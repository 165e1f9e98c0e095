#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace eventspace::streams {

/// Decides whether a message leaves at once, or together with the caller's next ones. A caller that takes
/// queued packets and answers each of them without pause sends all its answers as one message; so does a
/// caller that sends many without pause. All other messages leave at once: if no more packets are queued for
/// the caller, or if it took its last packet some time ago, as it may be slow with the next one, too.
///
/// Held messages leave with the first call after `longest`, or when the caller waits. Does no I/O; not
/// thread-safe.
class Holding {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds longest{200};

  /// The caller has taken a packet. `has_large_window`: of a stream whose sender has half a large window left
  /// when credit is granted, so that the credit may wait for the caller's next packet.
  void taken(Clock::time_point now, bool has_large_window = false) noexcept {
    taken_ = now;
    grants_may_wait_ = has_large_window;
  }
  /// To be called when the caller has taken a packet. `has_grants`: credit is queued. Returns whether all
  /// messages may wait for its next call.
  [[nodiscard]] bool may_hold_grants(bool has_grants) noexcept {
    const bool may_wait = grants_may_wait_ && !grants_wait_;
    if ((has_grants && !may_wait) || is_due()) return false;
    grants_wait_ = has_grants;
    return true;
  }
  [[nodiscard]] bool holds_grants() const noexcept { return grants_wait_; }
  /// The caller has sent a packet. Returns whether it may be held. `more`: the caller is expected to continue
  /// at once, for example because another packet is queued. `many`: it has sent many without an answer, and
  /// will continue even if it takes nothing.
  [[nodiscard]] bool may_hold(bool more, bool many, Clock::time_point now) noexcept {
    const bool sends = sent_ && now - *sent_ < longest;
    sent_ = now;
    if (!more || !(has_taken_within(longest, now) || (many && sends))) return false;
    if (!since_) since_ = now;
    return now - *since_ < longest;
  }
  /// Whether the caller has taken a packet within this time.
  [[nodiscard]] bool has_taken_within(Clock::duration time, Clock::time_point now) const noexcept {
    return taken_ && now - *taken_ < time;
  }
  /// Whether a message is held that was due when the caller took the last packet.
  [[nodiscard]] bool is_due() const noexcept { return since_ && taken_ && *taken_ - *since_ >= longest; }
  void released() noexcept {
    since_.reset();
    grants_wait_ = false;
  }

 private:
  std::optional<Clock::time_point> taken_;  // when the caller took the last packet
  std::optional<Clock::time_point> sent_;   // when it sent the last one
  std::optional<Clock::time_point> since_;  // when the first held packet was sent
  bool grants_may_wait_{false};
  bool grants_wait_{false};  // for the caller's next packet
};

/// Collects the packets that the front-end sends on a busy stream, so that they leave together. Packets wait
/// as long as fewer packets wait than are on the way unanswered. This does not delay them, since the slowest
/// child has several earlier packets to answer. At full load half of a window is on the way while the other
/// half collects. Packets wait at most as long as the last group took to be answered, within bounds: a silent
/// child delays them only briefly, and with many children half of a window has time to collect. A stream with
/// few packets on the way is not busy, and its packets do not wait. Does no I/O; not thread-safe.
class BusyStream {
 public:
  using Clock = Holding::Clock;
  static constexpr std::uint64_t busy_from = 8;         ///< packets on the way
  static constexpr std::uint64_t many_from = 32;        ///< unanswered packets
  static constexpr std::chrono::milliseconds pause{5};  ///< limit for a caller that takes and sends
  static constexpr std::chrono::milliseconds shortest{20};
  static constexpr std::chrono::milliseconds longest{500};

  void sent(Clock::time_point now) noexcept {
    if (waiting_++ == 0) since_ = now;
  }
  /// Whether the packets continue to wait. `unanswered`: packets that were sent, including the waiting ones,
  /// and not yet answered; more than `most` means that packets of this stream are not answered.
  [[nodiscard]] bool waits(std::uint64_t unanswered, std::uint64_t most,
                           Clock::time_point now) const noexcept {
    const std::uint64_t on_the_way = unanswered - waiting_;
    return waiting_ > 0 && unanswered >= waiting_ && unanswered <= most && on_the_way >= busy_from &&
           waiting_ < on_the_way && now < due();
  }
  /// The packets leave. `next`: the number of the packet after them.
  void released(std::uint64_t next, Clock::time_point now) noexcept {
    waiting_ = 0;
    if (!left_) left_ = Left{next, now};
  }
  /// All packets before number `next` are answered.
  void answered(std::uint64_t next, Clock::time_point now) noexcept {
    if (!left_ || next < left_->next) return;
    holds_ = std::clamp<Clock::duration>(now - left_->at, shortest, longest);
    left_.reset();
  }
  /// Sets whether the packets are held during the present flush.
  void hold(bool held) noexcept { is_held_ = held; }
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }
  [[nodiscard]] bool has_waiting() const noexcept { return waiting_ > 0; }
  [[nodiscard]] Clock::time_point due() const noexcept { return since_ + holds_; }

 private:
  /// A group of packets that have left together.
  struct Left {
    std::uint64_t next;
    Clock::time_point at;
  };
  std::uint64_t waiting_{0};
  Clock::time_point since_;
  std::optional<Left> left_;  // the group whose answers are awaited
  Clock::duration holds_{shortest};
  bool is_held_{false};
};

}  // namespace eventspace::streams
