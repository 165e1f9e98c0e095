#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

namespace format {

/// How a C++ type is written to and read from a packet. Types without a Value are refused by the compiler.
template <class Type>
struct Value {
  static_assert(std::is_arithmetic_v<Type> && !std::is_same_v<Type, bool>,
                "a value of a packet is a number (not bool), std::string_view, std::span<const NUMBER> or "
                "std::vector<std::string_view>");
  static constexpr ValueType type = value_type::of_number<Type>();
  static std::size_t bytes(Type) noexcept { return 8; }
  static void write(PacketWriter& writer, Type value) { writer.number(value); }
  static Type read(const PacketView& view, std::size_t at) { return view.number<Type>(at); }
};

template <class Number>
struct Value<std::span<const Number>> {
  static constexpr ValueType type = value_type::array_of(value_type::of_number<Number>());
  static std::size_t bytes(std::span<const Number> values) noexcept { return values.size_bytes() + 16; }
  static void write(PacketWriter& writer, std::span<const Number> values) { writer.array(values); }
  static std::span<const Number> read(const PacketView& view, std::size_t at) {
    return view.array<Number>(at);
  }
};

template <>
struct Value<std::string_view> {
  static constexpr ValueType type = ValueType::text;
  static std::size_t bytes(std::string_view value) noexcept { return value.size() + 16; }
  static void write(PacketWriter& writer, std::string_view value) { writer.text(value); }
  static std::string_view read(const PacketView& view, std::size_t at) { return view.text(at); }
};

template <>
struct Value<std::vector<std::string_view>> {
  static constexpr ValueType type = ValueType::texts;
  static std::size_t bytes(const std::vector<std::string_view>& values) noexcept {
    return 16 * values.size() + 16;
  }
  static void write(PacketWriter& writer, const std::vector<std::string_view>& values) {
    writer.texts(values);
  }
  static std::vector<std::string_view> read(const PacketView& view, std::size_t at) { return view.texts(at); }
};

}  // namespace format

/// The types of a packet's values as C++ types: the compiler checks both ends that use one Format, and the
/// packet's signature is compared when it is read.
///
///     using Samples = Format<std::int32_t, std::span<const double>>;
///     stream.send(Samples::make(tag, 7, samples));          // one end
///     const Samples::Read read(packet);                     // the other
///     const auto& [process, values] = read.values();
///
/// All functions are thread-safe.
template <class... Types>
class Format {
 public:
  static_assert(sizeof...(Types) <= max_values, "a packet has at most streams::max_values values");
  using Values = std::tuple<Types...>;
  static constexpr std::array<ValueType, sizeof...(Types)> signature{format::Value<Types>::type...};

  /// Throws PacketError if the packet would be too large.
  [[nodiscard]] static Packet make(std::int32_t tag, const Types&... values) {
    PacketWriter writer(signature, (std::size_t{0} + ... + format::Value<Types>::bytes(values)));
    (format::Value<Types>::write(writer, values), ...);
    return writer.finish(tag);
  }

  /// Whether a received packet has these types.
  [[nodiscard]] static bool matches(const PacketView& view) noexcept {
    return std::ranges::equal(view.signature(), signature);
  }

  /// The values of a packet, valid as long as this object and the packet's body. Throws PacketError if the
  /// packet is damaged or has other types.
  class Read {
   public:
    explicit Read(const Packet& packet) : view_(packet) {
      if (!matches(view_)) {
        throw PacketError(fmt::format("the packet holds ({}), but ({}) was expected",
                                      to_string(view_.signature()), to_string(signature)));
      }
    }
    [[nodiscard]] Values values() const { return values(std::index_sequence_for<Types...>()); }

   private:
    template <std::size_t... at>
    [[nodiscard]] Values values(std::index_sequence<at...>) const {
      return Values(format::Value<Types>::read(view_, at)...);
    }
    PacketView view_;
  };
};

}  // namespace eventspace::streams
