#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// How much of something: windows and accounts of credit are in packets and in bytes of their bodies.
struct Load {
  std::uint64_t packets{0};
  std::uint64_t bytes{0};

  Load& operator+=(Load other) noexcept {
    packets += other.packets;
    bytes += other.bytes;
    return *this;
  }
  friend Load operator+(Load one, Load other) noexcept { return one += other; }
  friend bool operator==(Load one, Load other) noexcept = default;
  /// Whether so much fills a window: it has as many packets, or as many bytes.
  [[nodiscard]] bool fills(Load window) const noexcept {
    return packets >= window.packets || bytes >= window.bytes;
  }
};

/// Packets that wait, in the order added, and their bytes. Not thread-safe.
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
  /// These end-points are missing in all packets, too.
  void name_missing(const RankSet& ranks) {
    for (Packet& packet : packets_) packet.ranks = packet.ranks | ranks;
  }
  /// Removes the oldest; there must be one.
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
