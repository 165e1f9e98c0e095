#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace eventspace::streams {

/// The type of one value of a packet: a number, a text, or an array of one of these. The numbers are part of
/// the format of packets.
enum class ValueType : std::uint8_t {
  i8 = 1,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f32,
  f64,
  text,
  i8s = 0x81,
  u8s,
  i16s,
  u16s,
  i32s,
  u32s,
  i64s,
  u64s,
  f32s,
  f64s,
  texts
};

namespace value_type {

inline constexpr std::uint8_t array_bit = 0x80;

[[nodiscard]] constexpr bool is_array(ValueType type) noexcept {
  return (static_cast<std::uint8_t>(type) & array_bit) != 0;
}
/// The type of an array's elements; for another type, the type itself.
[[nodiscard]] constexpr ValueType element(ValueType type) noexcept {
  return static_cast<ValueType>(static_cast<std::uint8_t>(type) & ~array_bit);
}
[[nodiscard]] constexpr ValueType array_of(ValueType type) noexcept {
  return static_cast<ValueType>(static_cast<std::uint8_t>(type) | array_bit);
}
[[nodiscard]] constexpr bool is_number(ValueType type) noexcept { return type <= ValueType::f64; }
/// Whether an untrusted byte is a type.
[[nodiscard]] constexpr bool is_valid(std::uint8_t byte) noexcept {
  const std::uint8_t element = byte & static_cast<std::uint8_t>(~array_bit);
  return element >= static_cast<std::uint8_t>(ValueType::i8) &&
         element <= static_cast<std::uint8_t>(ValueType::text);
}
/// The bytes of a number, or of an element of an array of numbers; 0 for texts.
[[nodiscard]] std::size_t width(ValueType type) noexcept;

/// The type of a C++ number.
template <class Number>
requires std::is_arithmetic_v<Number> &&(!std::is_same_v<Number, bool>)&&(sizeof(Number) <= 8)
    [[nodiscard]] constexpr ValueType of_number() noexcept {
  if constexpr (std::is_floating_point_v<Number>) {
    return sizeof(Number) == 4 ? ValueType::f32 : ValueType::f64;
  } else {
    constexpr int power = sizeof(Number) == 1 ? 0 : sizeof(Number) == 2 ? 1 : sizeof(Number) == 4 ? 2 : 3;
    return static_cast<ValueType>(1 + 2 * power + (std::is_unsigned_v<Number> ? 1 : 0));
  }
}

/// Calls `act` with a zero of the C++ type of a number's type, or of the elements of an array of numbers.
/// Not for texts.
template <class Act>
decltype(auto) with_number(ValueType type, Act act) {
  switch (element(type)) {
    case ValueType::i8:
      return act(std::int8_t{});
    case ValueType::u8:
      return act(std::uint8_t{});
    case ValueType::i16:
      return act(std::int16_t{});
    case ValueType::u16:
      return act(std::uint16_t{});
    case ValueType::i32:
      return act(std::int32_t{});
    case ValueType::u32:
      return act(std::uint32_t{});
    case ValueType::i64:
      return act(std::int64_t{});
    case ValueType::u64:
      return act(std::uint64_t{});
    case ValueType::f32:
      return act(float{});
    default:
      return act(double{});
  }
}

}  // namespace value_type

/// The types of all values of a packet, in order.
using Signature = std::vector<ValueType>;

/// "i32 f64[] text"
[[nodiscard]] std::string to_string(std::span<const ValueType> signature);
/// Parses such a text; nullopt if it is invalid. The empty text is the signature of an empty packet.
[[nodiscard]] std::optional<Signature> parse_signature(std::string_view text);

}  // namespace eventspace::streams
