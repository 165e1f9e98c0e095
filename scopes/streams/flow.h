#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <eventspace/packet.h>
#include <eventspace/streams.h>
#include "scopes/streams/packets/packet_queue.h"

namespace eventspace::streams {

/// One stream on one link: the queue of packets to be sent, and the credit for both directions, in packets
/// and bytes. Each end begins with credit for a window. A packet may be sent as long as a packet and a byte
/// of credit are left. So packets on the way exceed the bytes of a window by less than one packet, and a
/// packet that is larger than the window still gets through. Does no I/O; not thread-safe.
class Flow {
 public:
  explicit Flow(Load window) : window_(window), may_send_(window), granted_(window) {}

  // --- sending
  [[nodiscard]] bool is_full() const noexcept { return waiting_.load().fills(window_); }
  [[nodiscard]] Load waiting() const noexcept { return waiting_.load(); }
  /// Adds a packet. If the flow is full, drops packets as `when_full` says, except with WhenFull::wait.
  /// Returns how many packets were dropped.
  std::uint64_t add(Packet packet, WhenFull when_full) {
    if (when_full != WhenFull::wait && when_full != WhenFull::drop_oldest && is_full()) return 1;
    std::uint64_t dropped = 0;
    for (; when_full == WhenFull::drop_oldest && is_full(); ++dropped) (void)waiting_.take();
    waiting_.add(std::move(packet));
    return dropped;
  }
  /// Packets that may be sent now.
  [[nodiscard]] std::size_t sendable() const noexcept {
    if (suspended_) return 0;
    const std::size_t most = std::min<std::uint64_t>(waiting_.size(), may_send_.packets - sent_.packets);
    if (sent_.bytes + waiting_.load().bytes <= may_send_.bytes) return most;
    std::size_t packets = 0;
    for (std::uint64_t bytes = sent_.bytes; packets < most && bytes < may_send_.bytes; ++packets)
      bytes += waiting_.at(packets).bytes();
    return packets;
  }
  [[nodiscard]] const Packet& at(std::size_t place) const { return waiting_.at(place); }
  /// Names these end-points as missing in the queued packets, which were made without them.
  void name_missing(const RankSet& ranks) { waiting_.name_missing(ranks); }
  void sent(std::size_t packets) {
    for (; packets > 0; --packets) sent_ += {1, waiting_.take().bytes()};
  }
  /// The link is lost: nothing is sent or granted until restart(). Packets stay queued.
  void suspend() noexcept { suspended_ = true; }
  /// The link is new: both ends have credit for a window again. Packets stay queued.
  void restart() noexcept {
    suspended_ = false;
    sent_ = received_ = {};
    may_send_ = granted_ = window_;
  }
  /// Records the other end's grant, which is a total.
  void hear(Load total) noexcept {
    may_send_.packets = std::max(may_send_.packets, total.packets);
    may_send_.bytes = std::max(may_send_.bytes, total.bytes);
  }

  // --- receiving
  /// Counts a received packet of this size; returns false if the other end had no credit.
  [[nodiscard]] bool receive(std::size_t bytes) noexcept {
    if (received_.packets >= granted_.packets || received_.bytes > granted_.bytes) return false;
    received_ += {1, bytes};
    return true;
  }
  /// The total to grant now. `held`: received packets that still take room. Nullopt if the grant would be for
  /// less than half a window.
  [[nodiscard]] std::optional<Load> grant(Load held) noexcept {
    if (!grants(held)) return std::nullopt;
    const Load total = acceptable(held);
    granted_ = {std::max(granted_.packets, total.packets), std::max(granted_.bytes, total.bytes)};
    return granted_;
  }
  /// Whether grant() would return a grant; if not, it would not with a larger `held` either.
  [[nodiscard]] bool grants(Load held) const noexcept {
    const Load total = acceptable(held);
    return !suspended_ && (total.packets >= granted_.packets + (window_.packets + 1) / 2 ||
                           total.bytes >= granted_.bytes + (window_.bytes + 1) / 2);
  }

 private:
  [[nodiscard]] Load acceptable(Load held) const noexcept {
    return {received_.packets + window_.packets - std::min(held.packets, window_.packets),
            received_.bytes + window_.bytes - std::min(held.bytes, window_.bytes)};
  }

  Load window_;
  PacketQueue waiting_;
  Load may_send_;
  Load sent_;
  Load granted_;
  Load received_;
  bool suspended_{false};
};

}  // namespace eventspace::streams
