#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <eventspace/packet.h>

namespace eventspace::streams {

/// How the numbers of packets are combined, element by element.
enum class Combine : std::uint8_t { sum, least, greatest };

/// The numbers of one value of packets, in the widest type of their kind, so that sums have room.
struct Column {
  ValueType type{ValueType::f64};  ///< type in the packets
  std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<double>> numbers{};

  [[nodiscard]] std::size_t size() const noexcept;
  /// i64, u64 or f64, as an array if `type` is one.
  [[nodiscard]] ValueType wide_type() const noexcept;
  /// The numbers divided by `count`.
  [[nodiscard]] std::vector<double> over(std::uint64_t count) const;
};
using Columns = std::vector<Column>;

/// The first `values` values of a packet. Throws PacketError if one of them is a text.
[[nodiscard]] Columns read_columns(const PacketView& view, std::size_t values);
/// Combines `other` into `columns`. Throws PacketError if they differ in number, kind or length, or a sum
/// exceeds 64 bits. NaN wins.
void combine(Columns& columns, const Columns& other, Combine how);
/// Does the same with the first `values` values of a packet, without allocation.
void combine(Columns& columns, const PacketView& view, std::size_t values, Combine how);
/// Adds the numbers to a packet as values of type `type`, which must be able to hold them.
void write_column(PacketWriter& writer, const Column& column, ValueType type);

}  // namespace eventspace::streams
