#pragma once

// Also used by scopes/. Writing message bodies with msgpack-cxx; msgpack_entries.h reads them.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <msgpack.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

#include <eventspace/tuple.h>
#include "paths/wire/little_endian.h"
#include "paths/wire/msgpack_entries.h"

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
  /// Writes a format octet and a number, the most significant octet first.
  template <std::unsigned_integral Number>
  void put(std::uint8_t format, Number number) {
    constexpr std::size_t size = 1 + sizeof number;
    if (size > pending_.size() - used_) flush();
    pending_[used_] = static_cast<char>(format);
    big_endian::store(reinterpret_cast<std::byte*>(&pending_[used_ + 1]), number);
    used_ += size;
  }
  void put(std::uint8_t format) {
    if (used_ == pending_.size()) flush();
    pending_[used_++] = static_cast<char>(format);
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

/// Writes the entries of arrays, one after another; the counterpart of Entries. Pass it by value: it is a
/// pointer, which the compiler then keeps in a register.
class EntryWriter {
 public:
  explicit EntryWriter(Buffer& buffer) noexcept : buffer_(&buffer) {}

  /// Begins an array of `entries` entries, which must be written next.
  void array(std::size_t entries) const { packer().pack_array(static_cast<std::uint32_t>(entries)); }
  /// Writes the shortest form of an integer. (msgpack::packer puts it together elsewhere and copies it, which
  /// takes longer.)
  template <std::integral Integer>
  void integer(Integer value) const {
    if constexpr (std::is_signed_v<Integer>)
      if (value < 0) return negative(value);
    const auto number = static_cast<std::uint64_t>(value);
    if (number < 0x80) return buffer_->put(static_cast<std::uint8_t>(number));
    if (number <= UINT8_MAX) return buffer_->put(0xcc, static_cast<std::uint8_t>(number));
    if (number <= UINT16_MAX) return buffer_->put(0xcd, static_cast<std::uint16_t>(number));
    if (number <= UINT32_MAX) return buffer_->put(0xce, static_cast<std::uint32_t>(number));
    buffer_->put(0xcf, number);
  }
  void boolean(bool value) const { buffer_->put(value ? 0xc3 : 0xc2); }
  void real(double value) const { buffer_->put(0xcb, std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view text) const {
    packer().pack_str(static_cast<std::uint32_t>(text.size()));
    packer().pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
  }
  void bytes(Bytes bytes) const {
    bytes_of(bytes.size());
    piece(bytes);
  }
  /// Writes bytes in pieces: first their number, then each piece.
  void bytes_of(std::size_t size) const { packer().pack_bin(static_cast<std::uint32_t>(size)); }
  void piece(Bytes bytes) const {
    packer().pack_bin_body(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<std::uint32_t>(bytes.size()));
  }

 private:
  using Packer = msgpack::packer<Buffer>;
  [[nodiscard]] Packer packer() const noexcept { return Packer(*buffer_); }
  void negative(std::int64_t value) const {
    if (value >= -32) return buffer_->put(static_cast<std::uint8_t>(value));
    if (value >= INT8_MIN) return buffer_->put(0xd0, static_cast<std::uint8_t>(value));
    if (value >= INT16_MIN) return buffer_->put(0xd1, static_cast<std::uint16_t>(value));
    if (value >= INT32_MIN) return buffer_->put(0xd2, static_cast<std::uint32_t>(value));
    buffer_->put(0xd3, static_cast<std::uint64_t>(value));
  }

  Buffer* buffer_;
};

/// Calls `write` with a writer whose output is appended to `bytes`.
template <class Write>
void write_into(std::vector<std::byte>& bytes, Write write) {
  Buffer buffer(bytes);
  write(EntryWriter(buffer));
  buffer.flush();
}

}  // namespace eventspace::msgpack_body
