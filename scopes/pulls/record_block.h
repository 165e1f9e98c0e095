#pragma once

// Private to scopes/.
// Trace tuples in a message: an array of the layout, the byte order, and all tuples as one block of bytes.

#include <memory>
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
  static void write(EntryWriter writer, std::span<const Bytes> pieces, ByteOrder order);
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

}  // namespace eventspace::wire
