#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace eventspace::leb128 {

// Numbers as little-endian groups of seven bits in bytes; all bytes of a number except the last have the
// highest bit set.

/// Calls `put` with each byte of the number.
template <class Put>
void write(std::uint64_t number, Put put) {
  for (; number >= 0x80; number >>= 7) put(static_cast<std::byte>(number | 0x80));
  put(static_cast<std::byte>(number));
}

/// Calls `next` for each byte, a std::optional<std::byte>, and returns the number; nullopt if the bytes end
/// within the number, or it has more than ten bytes.
template <class Next>
std::optional<std::uint64_t> read(Next next) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::optional<std::byte> byte = next();
    if (!byte) break;
    number |= (std::to_integer<std::uint64_t>(*byte) & 0x7f) << shift;
    if (*byte < std::byte{0x80}) return number;
  }
  return std::nullopt;
}

/// Reads a number at the beginning of `bytes`, and removes its bytes.
inline std::optional<std::uint64_t> take(std::span<const std::byte>& bytes) {
  return read([&bytes]() -> std::optional<std::byte> {
    if (bytes.empty()) return std::nullopt;
    const std::byte first = bytes.front();
    bytes = bytes.subspan(1);
    return first;
  });
}

}  // namespace eventspace::leb128
