#include "scopes/pulls/record_block.h"

#include <algorithm>

namespace eventspace::wire {
namespace {

// Returns the tuples of all pieces in the other byte order.
std::vector<TraceTuple> in_other_order(std::span<const Bytes> pieces) {
  std::vector<TraceTuple> tuples(bytes_in(pieces) / sizeof(TraceTuple));
  auto* to = reinterpret_cast<std::byte*>(tuples.data());
  for (const Bytes piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
  for (TraceTuple& tuple : tuples) {
    for (std::uint64_t& word : tuple.words) word = __builtin_bswap64(word);
  }
  return tuples;
}

}  // namespace

std::size_t bytes_in(std::span<const Bytes> pieces) noexcept {
  std::size_t bytes = 0;
  for (const Bytes piece : pieces) bytes += piece.size();
  return bytes;
}

void RecordArray::write(EntryWriter writer, std::span<const Bytes> pieces, ByteOrder order) {
  writer.array(3);
  writer.integer(layout);
  writer.integer(static_cast<std::uint8_t>(order));
  writer.bytes_of(bytes_in(pieces));
  if (order != own_byte_order) {
    const std::vector<TraceTuple> tuples = in_other_order(pieces);
    return writer.piece(std::as_bytes(std::span(tuples)));
  }
  for (const Bytes piece : pieces) writer.piece(piece);
}

RecordBlock RecordArray::swapped(Bytes tuples) {
  const auto own = std::make_shared<const std::vector<TraceTuple>>(in_other_order({&tuples, 1}));
  return {own, std::as_bytes(std::span(*own))};
}

}  // namespace eventspace::wire
