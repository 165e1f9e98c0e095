#pragma once

// Trace tuples in a message: an array of the layout, the byte order, and all tuples as one block of bytes.

#include <span>
#include <vector>

#include "paths/views/view.h"
#include "paths/wire/fields.h"

namespace eventspace::wire {

struct RecordArray {
  static constexpr std::uint8_t layout = 1;
  static constexpr std::string_view name = "record array";
  static constexpr SizeBounds bounds{1 + 1 + 1 + 2, SizeBounds::unbounded};
  /// The bytes besides the tuples, at most.
  static constexpr std::size_t overhead = 1 + 1 + 1 + largest_entry_header;

  /// Writes the tuples of several pieces, which are in this machine's byte order, in `order`.
  template <class Sink>
  static void write(Sink sink, std::span<const Bytes> pieces, ByteOrder order);
  /// Reads a block. The records stay in the body, which their block keeps, or are copied if they are in the
  /// other byte order. Throws BodyError.
  template <class Source>
  static RecordBlock read(Source& source) {
    auto entries = source.array();
    (void)entries.template integer<std::uint8_t>(layout, layout);
    const auto order = entries.enumeration(ByteOrder::little, ByteOrder::big);
    const Bytes tuples = entries.bytes(sizeof(TraceTuple));
    entries.expect_end();
    return order == own_byte_order ? RecordBlock{entries.owner(), tuples} : swapped(tuples);
  }

 private:
  static RecordBlock swapped(Bytes tuples);
};

[[nodiscard]] std::size_t bytes_in(std::span<const Bytes> pieces) noexcept;
/// The tuples of all pieces in the other byte order.
[[nodiscard]] std::vector<TraceTuple> in_other_order(std::span<const Bytes> pieces);

template <class Sink>
void RecordArray::write(Sink sink, std::span<const Bytes> pieces, ByteOrder order) {
  sink.array(3);
  sink.integer(layout);
  sink.integer(static_cast<std::uint8_t>(order));
  sink.bytes_of(bytes_in(pieces));
  if (order != own_byte_order) {
    const std::vector<TraceTuple> tuples = in_other_order(pieces);
    return sink.piece(std::as_bytes(std::span(tuples)));
  }
  for (const Bytes piece : pieces) sink.piece(piece);
}

}  // namespace eventspace::wire
