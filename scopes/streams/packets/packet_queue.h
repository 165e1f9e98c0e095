#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include <eventspace/packet.h>

namespace eventspace::streams {

/// A queue of packets in the order added, and their bytes. Not thread-safe.
class PacketQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return packets_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return packets_.size(); }
  [[nodiscard]] Load load() const noexcept { return {packets_.size(), bytes_}; }
  [[nodiscard]] const Packet& at(std::size_t place) const { return packets_[place]; }
  void add(Packet packet) {
    bytes_ += packet.bytes();
    packets_.push_back(std::move(packet));
  }
  /// Marks these end-points as missing in all packets.
  void name_missing(const RankSet& ranks) {
    for (Packet& packet : packets_) packet.ranks = packet.ranks | ranks;
  }
  /// Removes the oldest packet; the queue must not be empty.
  Packet take() {
    Packet packet = std::move(packets_.front());
    packets_.pop_front();
    bytes_ -= packet.bytes();
    return packet;
  }

 private:
  std::deque<Packet> packets_;
  std::uint64_t bytes_{0};
};

}  // namespace eventspace::streams
