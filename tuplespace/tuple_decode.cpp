#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <msgpack.hpp>

#include <eventspace/error.h>
#include "tuplespace/tuple_buffer.h"

namespace eventspace {
namespace {

/// The visitor of the msgpack parser: collects the fields of one flat array, and stops the parser with a
/// reason at the first byte that does not belong to one. It keeps at most max_fields slots, whatever lengths
/// the bytes announce.
class Decoder : public msgpack::null_visitor {
 public:
  explicit Decoder(Bytes encoded) : encoded_(encoded) {}

  void run() {
    std::size_t offset = 0;
    const auto* octets = reinterpret_cast<const char*>(encoded_.data());
    msgpack::parse(octets, encoded_.size(), offset, *this);
    if (fault_.empty() && !complete_) fault_ = "ends too early";
    if (fault_.empty() && offset != encoded_.size()) fault_ = "has octets after its end";
    if (!fault_.empty())
      throw ConfigurationError(
          fmt::format("encoded tuple of {} octets {}, at offset {}", encoded_.size(), fault_, offset));
  }

  [[nodiscard]] std::span<const FieldSlot> slots() const noexcept { return {slots_.data(), count_}; }

  // Callbacks of the parser; a return value of false stops it.
  bool start_array(std::uint32_t length) {
    if (in_array_) return fault("has an array as a field");
    in_array_ = true;
    if (length <= Signature::max_fields) return true;
    return fault(fmt::format("announces {} fields, more than {}", length, Signature::max_fields));
  }
  bool end_array() { return complete_ = true; }
  bool start_map(std::uint32_t) {
    return fault(in_array_ ? "has a map as a field" : "is a map, not an array");
  }
  bool visit_nil() { return fault(in_array_ ? "has nil as a field" : "is nil, not an array"); }
  bool visit_ext(const char*, std::uint32_t) { return fault("has an extension type"); }
  bool visit_float32(float) { return fault("has a 32-bit float; reals have 64 bits"); }

  bool visit_boolean(bool value) { return add({FieldType::boolean, 0, value ? 1u : 0u}); }
  bool visit_positive_integer(std::uint64_t value) {
    if (value > std::numeric_limits<std::int64_t>::max())
      return fault(fmt::format("has the integer {}, beyond 64 signed bits", value));
    return add({FieldType::integer, 0, value});
  }
  bool visit_negative_integer(std::int64_t value) {
    return add({FieldType::integer, 0, static_cast<std::uint64_t>(value)});
  }
  bool visit_float64(double value) { return add({FieldType::real, 0, std::bit_cast<std::uint64_t>(value)}); }
  bool visit_str(const char* text, std::uint32_t size) { return add(payload(FieldType::text, text, size)); }
  bool visit_bin(const char* bytes, std::uint32_t size) {
    return add(payload(FieldType::bytes, bytes, size));
  }

  void parse_error(std::size_t, std::size_t) { fault("has an octet that starts no value"); }

 private:
  // For a size of 0, the parser may pass any pointer, even null, with which arithmetic is invalid.
  [[nodiscard]] FieldSlot payload(FieldType type, const char* octets, std::uint32_t size) const noexcept {
    const auto* begin = reinterpret_cast<const char*>(encoded_.data());
    return {type, size, size > 0 ? static_cast<std::uint64_t>(octets - begin) : 0};
  }

  bool add(FieldSlot slot) {
    if (!in_array_) return fault(fmt::format("is {}, not an array", to_string(slot.type)));
    // In bounds: start_array() refused any array of more than max_fields.
    slots_[count_++] = slot;
    return true;
  }

  bool fault(std::string text) {
    fault_ = std::move(text);
    return false;
  }

  Bytes encoded_;
  std::array<FieldSlot, Signature::max_fields> slots_;
  std::size_t count_{0};
  bool in_array_{false};
  bool complete_{false};
  std::string fault_;
};

}  // namespace

Tuple Tuple::decode(Bytes encoded) {
  Decoder decoder(encoded);
  decoder.run();
  const auto slots = decoder.slots();
  auto buffer = Buffer::allocate(slots.size(), encoded.size());
  std::uninitialized_copy(slots.begin(), slots.end(), buffer->slots());
  std::memcpy(buffer->bytes(), encoded.data(), encoded.size());
  return Tuple(std::move(buffer));
}

Tuple Tuple::decode(Bytes first, Bytes second, const Signature& signature) {
  const auto& types = signature.fields();
  auto buffer = Buffer::allocate(types.size(), first.size() + second.size());
  // The copy is made before any check: the decoder accepts exactly the bytes that the tuple keeps, even if
  // another process writes to the source at the same time.
  std::byte* const behind_first = std::copy(first.begin(), first.end(), buffer->bytes());
  std::copy(second.begin(), second.end(), behind_first);
  Decoder decoder({buffer->bytes(), buffer->encoded_size});
  decoder.run();
  const auto slots = decoder.slots();
  const bool fits = std::equal(slots.begin(), slots.end(), types.begin(), types.end(),
                               [](const FieldSlot& slot, FieldType type) { return slot.type == type; });
  if (!fits)
    throw ConfigurationError(fmt::format("encoded tuple of {} octets is not of type {}", buffer->encoded_size,
                                         signature.to_string()));
  std::uninitialized_copy(slots.begin(), slots.end(), buffer->slots());
  return Tuple(std::move(buffer));
}

}  // namespace eventspace
