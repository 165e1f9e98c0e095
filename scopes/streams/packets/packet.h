#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/tuple.h>
#include "paths/views/rank_set.h"
#include "scopes/streams/packets/value_type.h"

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
  /// The number of the wave that the packet belongs to, see synchronisation.h. Set by the network.
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
///     PacketWriter writer({ValueType::i32, ValueType::f64s});
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

}  // namespace eventspace::streams
