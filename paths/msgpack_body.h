#pragma once

// Not installed; for paths/ and scopes/: writing and reading message bodies with msgpack-cxx.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <msgpack.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace::msgpack_body {

/// A growing byte buffer with the `write` that msgpack::packer wants.
class Buffer {
 public:
  explicit Buffer(std::vector<std::byte>& bytes) noexcept : bytes_(&bytes) {}
  void write(const char* data, std::size_t size) {
    const auto* const from = reinterpret_cast<const std::byte*>(data);
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

/// Thrown by the readers below; caught where a body is decoded.
class BodyError : public std::runtime_error {
 public:
  BodyError() : std::runtime_error("message body") {}
};

/// Sums up what the containers of a body claim to hold, before anything is allocated for it.
class ClaimCounter : public msgpack::null_visitor {
 public:
  ClaimCounter(std::size_t entries, std::size_t depth) noexcept
      : entries_left_(entries), depth_left_(depth) {}
  bool start_array(std::uint32_t entries) noexcept { return claim(entries); }
  bool end_array() noexcept { return ++depth_left_ != 0; }
  bool start_map(std::uint32_t /*pairs*/) noexcept { return false; }  // no message has any
  void parse_error(std::size_t /*parsed*/, std::size_t /*error*/) noexcept {}
  void insufficient_bytes(std::size_t /*parsed*/, std::size_t /*error*/) noexcept {}

 private:
  bool claim(std::size_t entries) noexcept {
    if (entries > entries_left_ || depth_left_ == 0) return false;
    entries_left_ -= entries;
    --depth_left_;
    return true;
  }

  std::size_t entries_left_;
  std::size_t depth_left_;
};

/// Whether `body` is one value, its arrays nested `depth` deep at most. As every entry takes a byte at least,
/// arrays that claim more entries than there are bytes, all of them together, lie.
inline bool claims_fit(Bytes body, std::size_t depth) {
  ClaimCounter counter(body.size(), depth);
  std::size_t offset = 0;
  return msgpack::parse(reinterpret_cast<const char*>(body.data()), body.size(), offset, counter) &&
         offset == body.size();
}

/// Unpacks exactly one value, nested `depth` deep at most; allocates a small multiple of `body` at most.
/// Texts and bytes stay where they are in `body`, which is needed for as long as the value is.
inline msgpack::object_handle unpack(Bytes body, std::size_t depth = 16) {
  if (!claims_fit(body, depth)) throw BodyError();
  const auto in_body = [](msgpack::type::object_type, std::size_t, void*) { return true; };
  try {
    return msgpack::unpack(reinterpret_cast<const char*>(body.data()), body.size(), in_body);
  } catch (const msgpack::unpack_error&) {
    throw BodyError();
  }
}

/// Reads the entries of a msgpack array one after another, each as what is expected there.
class Entries {
 public:
  explicit Entries(const msgpack::object& object) {
    if (object.type != msgpack::type::ARRAY) throw BodyError();
    next_ = object.via.array.ptr;
    end_ = next_ + object.via.array.size;
  }

  [[nodiscard]] bool more() const noexcept { return next_ != end_; }
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  void expect_end() const {
    if (more()) throw BodyError();
  }

  const msgpack::object& object() {
    if (!more()) throw BodyError();
    return *next_++;
  }
  Entries array() { return Entries(object()); }

  template <class Integer>
  Integer integer() {
    const msgpack::object& o = object();
    if (o.type == msgpack::type::POSITIVE_INTEGER) {
      if (!std::in_range<Integer>(o.via.u64)) throw BodyError();
      return static_cast<Integer>(o.via.u64);
    }
    if (o.type != msgpack::type::NEGATIVE_INTEGER || !std::in_range<Integer>(o.via.i64)) throw BodyError();
    return static_cast<Integer>(o.via.i64);
  }

  /// An enumeration whose values are 0 or 1 up to `last`.
  template <class Enum>
  Enum enumeration(Enum first, Enum last) {
    const auto value = integer<std::underlying_type_t<Enum>>();
    if (value < static_cast<std::underlying_type_t<Enum>>(first) ||
        value > static_cast<std::underlying_type_t<Enum>>(last)) {
      throw BodyError();
    }
    return static_cast<Enum>(value);
  }

  bool boolean() {
    const msgpack::object& o = object();
    if (o.type != msgpack::type::BOOLEAN) throw BodyError();
    return o.via.boolean;
  }
  double real() {
    const msgpack::object& o = object();
    if (o.type != msgpack::type::FLOAT64 && o.type != msgpack::type::FLOAT32) throw BodyError();
    return o.via.f64;
  }
  std::string_view text() {
    const msgpack::object& o = object();
    if (o.type != msgpack::type::STR) throw BodyError();
    return {o.via.str.ptr, o.via.str.size};
  }
  Bytes bytes() {
    const msgpack::object& o = object();
    if (o.type != msgpack::type::BIN) throw BodyError();
    return {reinterpret_cast<const std::byte*>(o.via.bin.ptr), o.via.bin.size};
  }

 private:
  const msgpack::object* next_;
  const msgpack::object* end_;
};

}  // namespace eventspace::msgpack_body
