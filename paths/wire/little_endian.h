#pragma once

// Integers in messages, at addresses of any alignment.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace eventspace::little_endian {

template <class Integer>
void store(std::byte* at, Integer value) noexcept {
  std::memcpy(at, &value, sizeof value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(at, at + sizeof value);
}

template <class Integer>
Integer load(const std::byte* at) noexcept {
  std::array<std::byte, sizeof(Integer)> bytes;
  std::copy_n(at, bytes.size(), bytes.begin());
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Integer>(bytes);
}

}  // namespace eventspace::little_endian

namespace eventspace::big_endian {

/// Likewise, with the most significant octet first.
template <class Integer>
void store(std::byte* at, Integer value) noexcept {
  std::array<std::byte, sizeof value> bytes = std::bit_cast<std::array<std::byte, sizeof value>>(value);
  if constexpr (std::endian::native == std::endian::little) std::reverse(bytes.begin(), bytes.end());
  std::memcpy(at, bytes.data(), bytes.size());
}

}  // namespace eventspace::big_endian
