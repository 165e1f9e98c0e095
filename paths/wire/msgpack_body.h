#pragma once

// Private to paths/.
// Also used by scopes/. Writing message bodies with msgpack-cxx; msgpack_entries.h reads them.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <msgpack.hpp>
#include <string_view>
#include <vector>

#include "paths/wire/msgpack_entries.h"
#include "tuplespace/tuple.h"

namespace eventspace::msgpack_body {

/// The output of a msgpack::packer: appends to a vector. Nearly all writes have one to nine bytes, so they
/// are buffered here; the vector is complete only after `flush`.
class Buffer {
 public:
  explicit Buffer(std::vector<std::byte>& bytes) noexcept : bytes_(&bytes) {}
  void write(const char* data, std::size_t size) {
    if (size > pending_.size() - used_) return write_beyond(data, size);
    std::copy_n(data, size, pending_.data() + used_);  // not memcpy: `data` may be null if size is 0
    used_ += size;
  }
  void flush() {
    append(pending_.data(), used_);
    used_ = 0;
  }

 private:
  void write_beyond(const char* data, std::size_t size) {
    flush();
    append(data, size);
  }
  void append(const char* data, std::size_t size) {
    const auto* const from = reinterpret_cast<const std::byte*>(data);
    bytes_->insert(bytes_->end(), from, from + size);
  }

  std::vector<std::byte>* bytes_;
  std::array<char, 256> pending_;
  std::size_t used_{0};
};
using Packer = msgpack::packer<Buffer>;

/// Calls `fill` with a packer whose output is appended to `bytes`.
template <class Fill>
void pack_into(std::vector<std::byte>& bytes, Fill fill) {
  Buffer buffer(bytes);
  Packer packer(buffer);
  fill(packer);
  buffer.flush();
}

inline void pack_bytes(Packer& packer, Bytes bytes) {
  packer.pack_bin(static_cast<std::uint32_t>(bytes.size()));
  packer.pack_bin_body(reinterpret_cast<const char*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
}

/// Packs a real. msgpack::packer would turn whole numbers into integers, which readers refuse.
inline void pack_real(Packer& packer, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::array<char, 9> octets{static_cast<char>(0xcb)};
  for (std::size_t i = 0; i < 8; ++i) octets[i + 1] = static_cast<char>(bits >> (56 - 8 * i));
  packer.pack_bin_body(octets.data(), static_cast<std::uint32_t>(octets.size()));  // appends raw bytes
}

/// Writes the entries of arrays, one after another; the counterpart of Entries.
class EntryWriter {
 public:
  explicit EntryWriter(Packer& packer) noexcept : packer_(&packer) {}

  /// Begins an array of `entries` entries, which must be written next.
  void array(std::size_t entries) { packer_->pack_array(static_cast<std::uint32_t>(entries)); }
  template <std::integral Integer>
  void integer(Integer value) {
    packer_->pack(value);
  }
  void boolean(bool value) { packer_->pack(value); }
  void real(double value) { pack_real(*packer_, value); }
  void text(std::string_view text) {
    packer_->pack_str(static_cast<std::uint32_t>(text.size()));
    packer_->pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
  }
  void bytes(Bytes bytes) { pack_bytes(*packer_, bytes); }
  /// Writes bytes in pieces: first their number, then each piece.
  void bytes_of(std::size_t size) { packer_->pack_bin(static_cast<std::uint32_t>(size)); }
  void piece(Bytes bytes) {
    packer_->pack_bin_body(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<std::uint32_t>(bytes.size()));
  }

 private:
  Packer* packer_;
};

}  // namespace eventspace::msgpack_body
