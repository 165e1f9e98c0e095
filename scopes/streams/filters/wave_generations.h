#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>

#include <eventspace/packet.h>

namespace eventspace::streams {

/// The position of a wave in the order of all waves of a stream.
struct WavePlace {
  std::uint32_t generation{1};
  std::uint64_t wave{0};
  friend auto operator<=>(const WavePlace&, const WavePlace&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The generations of a stream's filters that may still have packets in one process. The filters of a stream
/// may be replaced: each replacement begins a generation, from a certain wave on. The generation of a
/// back-end's packet follows from its number; packets of other processes carry theirs.
///
/// Invariants:
/// 1. There is at least one generation.
/// 2. All waves of a generation come before those of the next one.
///
/// Not thread-safe.
class WaveGenerations {
 public:
  /// `has_waves`: packets with one number form a wave. Otherwise a back-end's packet belongs to the newest
  /// generation.
  explicit WaveGenerations(bool has_waves) noexcept : has_waves_(has_waves) {}

  /// For a process that joins a running stream: this is the only generation.
  void begin_at(std::uint32_t generation) { all_ = {{generation, all_.begin()->second}}; }
  /// A new generation begins with the wave `first`. `keeps_waves`: with its filters, waves have the same
  /// numbers in all processes.
  void begin(std::uint32_t generation, std::uint64_t first, bool keeps_waves) {
    all_[generation] = {first, keeps_waves};
  }
  /// Sets this for the newest generation.
  void keep_waves(bool keeps_waves) { all_.rbegin()->second.keeps_waves = keeps_waves; }
  /// Ends the oldest of several generations, and returns its number.
  std::uint32_t end_oldest();

  [[nodiscard]] bool has_waves() const noexcept { return has_waves_; }
  [[nodiscard]] std::uint32_t oldest() const { return all_.begin()->first; }
  [[nodiscard]] std::uint32_t newest() const { return all_.rbegin()->first; }
  /// The first wave of the newest generation.
  [[nodiscard]] std::uint64_t border() const { return all_.rbegin()->second.first; }
  /// The first wave of the oldest generation.
  [[nodiscard]] WavePlace first_place() const { return {oldest(), all_.begin()->second.first}; }
  /// The first wave that the oldest of several generations no longer has.
  [[nodiscard]] WavePlace end_of_oldest() const;
  /// The place of a packet's wave. The mark of the end of a generation is after all of its waves.
  [[nodiscard]] WavePlace place_of(const Packet& packet) const {
    const std::uint32_t generation = packet.generation != 0 ? packet.generation : generation_of(packet.wave);
    return {generation, packet.ends ? std::numeric_limits<std::uint64_t>::max() : packet.wave};
  }
  /// Whether the packet is of a generation that may still have packets, and its number fits.
  [[nodiscard]] bool admits(const Packet& packet) const {
    return packet.generation == 0 || admits_of_process(packet);
  }

 private:
  struct Generation {
    std::uint64_t first{0};
    bool keeps_waves{true};
  };

  [[nodiscard]] bool admits_of_process(const Packet& packet) const;
  [[nodiscard]] std::uint32_t generation_of(std::uint64_t wave) const {
    if (!has_waves_) return newest();
    for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
      if (wave >= at->second.first) return at->first;
    }
    return oldest();
  }

  bool has_waves_;
  std::map<std::uint32_t, Generation> all_{{1, {}}};
};

}  // namespace eventspace::streams
