// Random bits without a state: each word is a function of its purpose, the step, the global row and its place
// in the row. Any thread that computes a row, in any order, gets the same bits, so the tunnel is
// bit-identical for every number of slices.
//
// The words of a row are the stream of a SplitMix64 generator (Steele, Lea and Flood, 2014) whose initial
// state is mixed from the seed, the purpose, the step and the row.
#pragma once

#include <cstdint>

namespace eventspace::windtunnel {

// Keeps random words for different purposes independent of each other.
enum class Purpose : std::uint64_t { initial = 1, inflow, collision, checksum };

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// The start of the random words of one row.
struct RowKey {
  std::uint64_t state;
};

constexpr RowKey row_key(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint64_t row) {
  const auto purposed = mix(seed + kGoldenGamma * static_cast<std::uint64_t>(purpose));
  const auto stepped = mix(purposed + kGoldenGamma * (step + 1));
  return {mix(stepped + kGoldenGamma * (row + 1))};
}

constexpr std::uint64_t random_word(RowKey key, std::uint64_t index) {
  return mix(key.state + kGoldenGamma * (index + 1));
}

}  // namespace eventspace::windtunnel
