#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tuplespace/parsing/leb128.h"

namespace eventspace::exports {

/// Appends fields of messages in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding/) to a text. The library is not used, because a trace
/// needs only a few kinds of fields; tests decode the output with the library. Pure.
class ProtobufWriter {
 public:
  explicit ProtobufWriter(std::string& out) noexcept : out_(&out) {}

  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    number(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int shift = 0; shift < 64; shift += 8) *out_ += static_cast<char>(value >> shift);
  }
  void real(std::uint32_t field, double value) { fixed64(field, std::bit_cast<std::uint64_t>(value)); }
  void text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    number(value.size());
    *out_ += value;
  }
  /// Appends a message: `write` appends its fields with the writer that it is given.
  template <class Write>
  void message(std::uint32_t field, Write write) {
    std::string body;
    ProtobufWriter inner(body);
    write(inner);
    text(field, body);
  }

 private:
  void key(std::uint32_t field, std::uint32_t wire_type) { number(std::uint64_t{field} << 3 | wire_type); }
  void number(std::uint64_t value) {
    leb128::write(value, [this](std::byte byte) { *out_ += static_cast<char>(byte); });
  }

  std::string* out_;
};

}  // namespace eventspace::exports
