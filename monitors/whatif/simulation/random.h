#pragma once

#include <cstdint>

namespace eventspace::whatif {

/// Random numbers that are the same for the same seed with every compiler and library, unlike the standard's
/// distributions (SplitMix64, Steele et al. 2014). Not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// 0 to `bound` - 1; `bound` is at least 1.
  std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }
  /// From 0 to below 1.
  double share() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace eventspace::whatif
