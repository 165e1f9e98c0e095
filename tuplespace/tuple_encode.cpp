#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <msgpack.hpp>

#include <eventspace/error.h>
#include "tuplespace/tuple_buffer.h"

namespace eventspace {
namespace {

constexpr std::size_t array_header_bound = 3;
constexpr std::size_t field_header_bound = 9;  // a scalar is all header

std::size_t payload_size(const Field& field) noexcept {
  if (const auto* text = std::get_if<std::string_view>(&field)) return text->size();
  if (const auto* bytes = std::get_if<Bytes>(&field)) return bytes->size();
  return 0;
}

void require_encodable(std::span<const Field> fields) {
  if (fields.size() > Signature::max_fields)
    throw ConfigurationError(
        fmt::format("a tuple of {} fields; at most {} are allowed", fields.size(), Signature::max_fields));
  for (const Field& field : fields)
    if (payload_size(field) > std::numeric_limits<std::uint32_t>::max())
      throw ConfigurationError(fmt::format("a {} field of {} octets; at most {} are allowed",
                                           to_string(type_of(field)), payload_size(field),
                                           std::numeric_limits<std::uint32_t>::max()));
}

std::size_t encoded_bound(std::span<const Field> fields) noexcept {
  std::size_t bound = array_header_bound;
  for (const Field& field : fields) bound += field_header_bound + payload_size(field);
  return bound;
}

/// Appends encoded fields to memory that is large enough, and returns the place of each field.
class Encoder {
 public:
  explicit Encoder(std::byte* memory) : memory_(memory), packer_(*this) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void begin(std::size_t field_count) { packer_.pack_array(static_cast<std::uint32_t>(field_count)); }

  FieldSlot operator()(bool value) {
    packer_.pack(value);
    return {FieldType::boolean, 0, value ? 1u : 0u};
  }
  FieldSlot operator()(std::int64_t value) {
    packer_.pack(value);
    return {FieldType::integer, 0, static_cast<std::uint64_t>(value)};
  }
  // The packer is not used here: it encodes whole numbers as integers, which would change the signature.
  FieldSlot operator()(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    std::array<char, 9> octets{static_cast<char>(0xcb)};
    for (std::size_t i = 0; i < 8; ++i) octets[i + 1] = static_cast<char>(bits >> (56 - 8 * i));
    write(octets.data(), octets.size());
    return {FieldType::real, 0, bits};
  }
  FieldSlot operator()(std::string_view value) {
    packer_.pack_str(static_cast<std::uint32_t>(value.size()));
    return payload(FieldType::text, value.data(), value.size());
  }
  FieldSlot operator()(Bytes value) {
    packer_.pack_bin(static_cast<std::uint32_t>(value.size()));
    return payload(FieldType::bytes, value.data(), value.size());
  }

  /// Called by the packer.
  void write(const char* octets, std::size_t size) {
    std::memcpy(memory_ + size_, octets, size);
    size_ += size;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  FieldSlot payload(FieldType type, const void* octets, std::size_t size) {
    const FieldSlot slot{type, static_cast<std::uint32_t>(size), size_};
    if (size > 0) write(static_cast<const char*>(octets), size);
    return slot;
  }

  std::byte* memory_;
  std::size_t size_{0};
  msgpack::packer<Encoder> packer_;
};

}  // namespace

Tuple Tuple::of(std::initializer_list<Field> fields) { return of(std::span(fields.begin(), fields.size())); }

Tuple Tuple::of(std::span<const Field> fields) {
  require_encodable(fields);
  // An upper bound: the fields are encoded once, into the buffer that the tuple keeps.
  auto buffer = Buffer::allocate(fields.size(), encoded_bound(fields));
  Encoder encoder(buffer->bytes());
  encoder.begin(fields.size());
  FieldSlot* slot = buffer->slots();
  for (const Field& field : fields) ::new (slot++) FieldSlot(std::visit(encoder, field));
  buffer->encoded_size = encoder.size();
  return Tuple(std::move(buffer));
}

}  // namespace eventspace
