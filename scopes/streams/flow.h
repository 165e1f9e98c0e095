#pragma once

// Private to scopes/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "scopes/streams/packets/packet.h"
#include "scopes/streams/stream_options.h"

namespace eventspace::streams {

/// One stream on one link: the packets that wait to be sent, and the accounts of credit for both directions,
/// in packets. Each end begins with a window's worth. Does no I/O; not thread-safe.
class Flow {
 public:
  explicit Flow(std::uint32_t window) : window_(window), may_send_(window), granted_(window) {}

  // --- sending
  [[nodiscard]] bool is_full() const noexcept { return waiting_.size() >= window_; }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
  /// Adds a packet. If the flow is full, drops one as `when_full` says, except with WhenFull::wait. Returns
  /// how many packets were dropped.
  std::uint64_t add(Packet packet, WhenFull when_full) {
    const bool drops = is_full() && when_full != WhenFull::wait;
    if (drops && when_full != WhenFull::drop_oldest) return 1;
    if (drops) waiting_.pop_front();
    waiting_.push_back(std::move(packet));
    return drops ? 1 : 0;
  }
  /// Packets that may be sent now.
  [[nodiscard]] std::size_t sendable() const noexcept {
    if (suspended_) return 0;
    return std::min<std::uint64_t>(waiting_.size(), may_send_ - sent_);
  }
  [[nodiscard]] const Packet& at(std::size_t place) const { return waiting_[place]; }
  void sent(std::size_t packets) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(packets));
    sent_ += packets;
  }
  /// The link is lost: nothing is sent or granted until restart(). What waits goes on to wait.
  void suspend() noexcept { suspended_ = true; }
  /// The link is a new one: both ends begin with a window's worth again. What waits goes on to wait.
  void restart() noexcept {
    suspended_ = false;
    sent_ = received_ = 0;
    may_send_ = granted_ = window_;
  }
  /// Records the other end's grant, a total.
  void hear(std::uint64_t total) noexcept { may_send_ = std::max(may_send_, total); }

  // --- receiving
  /// Counts a packet; returns false if the other end had no credit.
  [[nodiscard]] bool receive() noexcept { return received_ < granted_ && ++received_ != 0; }
  /// The total to grant now that `held` of the received packets still take room; 0 if it is not worth a
  /// message yet. Grants are given for half a window at least.
  [[nodiscard]] std::uint64_t grant(std::size_t held) noexcept {
    if (suspended_) return 0;
    const std::uint64_t total = received_ + window_ - std::min<std::uint64_t>(held, window_);
    if (total < granted_ + (window_ + 1) / 2) return 0;
    return granted_ = total;
  }

 private:
  std::uint32_t window_;
  std::deque<Packet> waiting_;
  std::uint64_t may_send_;
  std::uint64_t sent_{0};
  std::uint64_t granted_;
  std::uint64_t received_{0};
  bool suspended_{false};
};

}  // namespace eventspace::streams
