#pragma once

// Not installed; for paths/ and scopes/: writing message bodies with msgpack-cxx, and reading them.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <msgpack.hpp>
#include <vector>

#include "paths/msgpack_entries.h"
#include "tuplespace/tuple.h"

namespace eventspace::msgpack_body {

/// A growing byte buffer with the `write` that msgpack::packer wants.
class Buffer {
 public:
  explicit Buffer(std::vector<std::byte>& bytes) noexcept : bytes_(&bytes) {}
  void write(const char* data, std::size_t size) {
    const auto* const from = reinterpret_cast<const std::byte*>(data);
    if (size == 1) return bytes_->push_back(*from);  // what most writes are
    bytes_->insert(bytes_->end(), from, from + size);
  }

 private:
  std::vector<std::byte>* bytes_;
};
using Packer = msgpack::packer<Buffer>;

inline void pack_bytes(Packer& packer, Bytes bytes) {
  packer.pack_bin(static_cast<std::uint32_t>(bytes.size()));
  packer.pack_bin_body(reinterpret_cast<const char*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
}

/// Not by the packer alone: it turns whole numbers into integers, which readers refuse.
inline void pack_real(Packer& packer, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::array<char, 9> octets{static_cast<char>(0xcb)};
  for (std::size_t i = 0; i < 8; ++i) octets[i + 1] = static_cast<char>(bits >> (56 - 8 * i));
  packer.pack_bin_body(octets.data(), static_cast<std::uint32_t>(octets.size()));  // as they are
}

}  // namespace eventspace::msgpack_body
