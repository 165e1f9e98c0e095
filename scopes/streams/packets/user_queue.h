#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "scopes/streams/packets/packet_queue.h"

namespace eventspace::streams {

/// The streams with packets for the user, in turn. Each is in it once. Not thread-safe.
class UserTurns {
 public:
  [[nodiscard]] const std::deque<std::uint32_t>& streams() const noexcept { return streams_; }
  [[nodiscard]] bool empty() const noexcept { return streams_.empty(); }
  void add(std::uint32_t stream) { streams_.push_back(stream); }
  void remove(std::uint32_t stream) { std::erase(streams_, stream); }

 private:
  std::deque<std::uint32_t> streams_;
};

/// The packets of one stream for the user. Invariant: the stream has a turn if and only if it has packets.
/// The turns must outlive the queue. Not thread-safe.
class UserQueue {
 public:
  UserQueue(std::uint32_t stream, UserTurns& turns) : stream_(stream), turns_(&turns) {}
  ~UserQueue() {
    if (!packets_.empty()) turns_->remove(stream_);
  }
  UserQueue(const UserQueue&) = delete;
  UserQueue& operator=(const UserQueue&) = delete;

  [[nodiscard]] bool empty() const noexcept { return packets_.empty(); }
  [[nodiscard]] Load load() const noexcept { return packets_.load(); }
  void add(Packet packet) {
    if (packets_.empty()) turns_->add(stream_);
    packets_.add(std::move(packet));
  }
  /// Replaces the oldest packets by this one, so that it fits into the window. Returns how many were dropped.
  /// The stream keeps its turn.
  std::uint64_t replace_oldest(Packet packet, Load window) {
    std::uint64_t dropped = 0;
    const bool had_turn = !packets_.empty();
    for (; packets_.load().fills(window) && !packets_.empty(); ++dropped) (void)packets_.take();
    packets_.add(std::move(packet));
    if (!had_turn) turns_->add(stream_);
    return dropped;
  }
  /// Removes the oldest packet; the queue must not be empty. It is then the turn of other streams.
  [[nodiscard]] Packet take() {
    Packet packet = packets_.take();
    turns_->remove(stream_);
    if (!packets_.empty()) turns_->add(stream_);
    return packet;
  }

 private:
  std::uint32_t stream_;
  UserTurns* turns_;
  PacketQueue packets_;
};

}  // namespace eventspace::streams
