#include "scopes/pulls/record_block.h"

#include <algorithm>

namespace eventspace::wire {

std::vector<TraceTuple> in_other_order(std::span<const Bytes> pieces) {
  std::vector<TraceTuple> tuples(bytes_in(pieces) / sizeof(TraceTuple));
  auto* to = reinterpret_cast<std::byte*>(tuples.data());
  for (const Bytes piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
  for (TraceTuple& tuple : tuples) {
    for (std::uint64_t& word : tuple.words) word = __builtin_bswap64(word);
  }
  return tuples;
}

std::size_t bytes_in(std::span<const Bytes> pieces) noexcept {
  std::size_t bytes = 0;
  for (const Bytes piece : pieces) bytes += piece.size();
  return bytes;
}

RecordBlock RecordArray::swapped(Bytes tuples) {
  const auto own = std::make_shared<const std::vector<TraceTuple>>(in_other_order({&tuples, 1}));
  return {own, std::as_bytes(std::span(*own))};
}

}  // namespace eventspace::wire
