#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/rank_set.h>
#include <eventspace/tuple.h>

/// Packets of streams: typed values that are encoded once, by the sender, and forwarded as bytes. The layout
/// of a packet's body (each part starts at a multiple of 8 bytes):
///
///     byte 0  version (1)
///          1  byte order of all that follows: 1 little endian, 2 big endian
///          2  u16 number of values
///          4  zero
///          8  one byte for each value: its ValueType
///             then the values:
///             number           its bytes
///             text             u64 length, the bytes
///             array of numbers u64 count, the numbers
///             array of texts   u64 count, each as a text
///
/// A sender writes its own byte order. A reader with the same byte order copies nothing.
namespace eventspace::streams {

// --- types of values

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

// --- packets

/// A packet that cannot be made, or cannot be read in the expected form. The text has the form that was found
/// and the expected one.
class PacketError : public Error {
 public:
  using Error::Error;
};

inline constexpr std::size_t max_values = 64;               ///< values in a packet
inline constexpr std::size_t max_packet_bytes = 16u << 20;  ///< limit for the body of a packet

/// A packet: its body, which copies of the packet share, and fields of the network. The body need not be
/// valid: PacketView checks it. Not thread-safe, but copies are independent.
struct Packet {
  std::int32_t tag{0};  ///< chosen by the sender; ignored by the network
  /// The number of the wave that the packet belongs to. Set by the network.
  std::uint64_t wave{0};
  /// In a packet that goes up: the end-points whose contribution is missing. In a packet that goes down: the
  /// receivers; empty for all of the stream.
  RankSet ranks{};
  /// Whether it was made by a filter on the way up: it then has the form of the filter's results, which the
  /// same filter in the next process combines further. Set by the network.
  bool combined{false};
  /// The filter that has made it, by its position in the stream's list, from 1; 0: the sender. Set by the
  /// network.
  std::uint8_t made_by{0};
  /// A mark instead of a packet: a wave was lost in a process below, as a filter there failed. Set by the
  /// network; not delivered to filters and users.
  bool lost{false};
  /// A mark instead of a packet: the sender makes no more packets by the filters of this generation.
  /// Likewise.
  bool ends{false};
  /// The generation of the filters that made it, counted from 1 for each replacement of the stream's filters.
  /// 0: it comes from a back-end. Set by the network.
  std::uint32_t generation{0};
  Bytes body{};                         ///< aligned to 8 bytes if made here
  std::shared_ptr<const void> owner{};  ///< of the body's bytes

  [[nodiscard]] std::size_t bytes() const noexcept { return body.size(); }
};

/// Makes the body of a packet from values that are added in the order of the signature.
///
///     const std::array types{ValueType::i32, ValueType::f64s};
///     PacketWriter writer(types);
///     writer.number(std::int32_t{7});
///     writer.array(std::span<const double>(samples));
///     const Packet packet = writer.finish(tag);
///
/// All functions throw PacketError if the type of a value differs from the signature, or the packet gets too
/// large. Not thread-safe.
class PacketWriter {
 public:
  /// `reserve` is the expected number of bytes of all values, for one allocation.
  explicit PacketWriter(std::span<const ValueType> signature, std::size_t reserve = 0);

  template <class Number>
  void number(Number value) {
    add(value_type::of_number<Number>(), std::as_bytes(std::span(&value, 1)));
  }
  template <class Number>
  void array(std::span<const Number> values) {
    begin(value_type::array_of(value_type::of_number<Number>()));
    add_counted(values.size(), std::as_bytes(values));
  }
  void text(std::string_view value);
  void texts(std::span<const std::string_view> values);
  /// Adds a number of the next type, or an array of such numbers, by their bytes in native order.
  void raw_number(Bytes value) { add(next(), value); }
  void raw_array(Bytes values);

  /// Returns the packet. To be called when all values of the signature were added.
  [[nodiscard]] Packet finish(std::int32_t tag = 0);

 private:
  [[nodiscard]] Signature signature() const;
  [[nodiscard]] ValueType next() const;
  void begin(ValueType type);
  void add(ValueType type, Bytes value);
  void add_counted(std::size_t count, Bytes values);
  void append(Bytes bytes);

  std::size_t values_;
  std::size_t added_{0};
  std::vector<std::byte> bytes_;
};

/// Reads the values of a packet in place. Its arrays and texts are valid as long as both the packet's body
/// and the view exist: bytes in foreign order are converted into a copy, which the view owns.
///
/// The bytes are not trusted: the constructor checks all of them, and throws PacketError with a reason if
/// they are not a valid packet. The accessors throw PacketError if value `at` does not exist or has another
/// type. Immutable, so thread-safe.
class PacketView {
 public:
  explicit PacketView(const Packet& packet) : PacketView(packet.body) {}
  explicit PacketView(Bytes body);

  [[nodiscard]] std::span<const ValueType> signature() const noexcept { return {types_.data(), count_}; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  template <class Number>
  [[nodiscard]] Number number(std::size_t at) const {
    require(at, value_type::of_number<Number>());
    return *reinterpret_cast<const Number*>(data(at));
  }
  template <class Number>
  [[nodiscard]] std::span<const Number> array(std::size_t at) const {
    require(at, value_type::array_of(value_type::of_number<Number>()));
    return {reinterpret_cast<const Number*>(data(at) + count_bytes), elements(at)};
  }
  [[nodiscard]] std::string_view text(std::size_t at) const;
  [[nodiscard]] std::vector<std::string_view> texts(std::size_t at) const;
  /// The bytes of a number, or of all elements of an array of numbers; of a text, its characters.
  [[nodiscard]] Bytes raw(std::size_t at) const;
  /// The number of elements of an array, or of bytes of a text; 1 for a number.
  [[nodiscard]] std::size_t count(std::size_t at) const;

 private:
  static constexpr std::size_t count_bytes = 8;

  void index();
  void require(std::size_t at, ValueType type) const;
  void require(std::size_t at) const;
  [[nodiscard]] const std::byte* data(std::size_t at) const noexcept { return body_.data() + offsets_[at]; }
  [[nodiscard]] std::size_t elements(std::size_t at) const noexcept;

  Bytes body_;
  std::vector<std::byte> own_;  // a copy in native order and aligned; empty if not needed
  std::size_t count_{0};
  std::array<ValueType, max_values> types_;
  std::array<std::uint32_t, max_values> offsets_;
};

/// A number of packets and of the bytes of their bodies. Queues and windows of streams are measured in both.
struct Load {
  std::uint64_t packets{0};
  std::uint64_t bytes{0};

  Load& operator+=(Load other) noexcept {
    packets += other.packets;
    bytes += other.bytes;
    return *this;
  }
  friend Load operator+(Load one, Load other) noexcept { return one += other; }
  friend bool operator==(Load one, Load other) noexcept = default;
  /// Whether this amount fills a window: it has as many packets, or as many bytes.
  [[nodiscard]] bool fills(Load window) const noexcept {
    return packets >= window.packets || bytes >= window.bytes;
  }
};

// --- formats

namespace format {

/// Throws PacketError: "the packet holds (i32), but (f64[]) was expected".
[[noreturn]] void refuse_types(std::span<const ValueType> found, std::span<const ValueType> expected);

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
///     back_end.send(stream, Samples::make(tag, 7, samples), deadline);  // one end
///     const Samples::Read read(packet);                                 // the other
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
      if (!matches(view_)) format::refuse_types(view_.signature(), signature);
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
