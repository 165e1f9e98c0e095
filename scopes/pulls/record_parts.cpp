#include "scopes/pulls/record_parts.h"

#include <algorithm>
#include <span>
#include <vector>

#include "paths/wire/msgpack_body.h"
#include "scopes/pulls/view_codec.h"

namespace eventspace {
namespace {

using msgpack_body::Packer;

// Bytes that pack_records adds: the array, layout, byte order, and the header of the block.
constexpr std::size_t block_overhead = 8;

// Removes the first `bytes` bytes from `pieces` and returns them.
std::vector<Bytes> first_of(std::span<Bytes>& pieces, std::size_t bytes) {
  std::vector<Bytes> first;
  while (bytes > 0) {
    Bytes& piece = pieces.front();
    first.push_back(piece.first(std::min(bytes, piece.size())));
    bytes -= first.back().size();
    piece = piece.subspan(first.back().size());
    if (piece.empty()) pieces = pieces.subspan(1);
  }
  return first;
}

void write_part(wire::Message& message, std::span<const Bytes> pieces, ByteOrder order) {
  message.reserve(message.size() + block_overhead + msgpack_body::bytes_in(pieces));
  msgpack_body::pack_into(message,
                          [&](Packer& packer) { msgpack_body::pack_records(packer, pieces, order); });
}

}  // namespace

// Splits the records into parts of about equal size, each of at least `worth_taking` records.
void RecordParts::offer(View& view) {
  std::size_t records = view.records.size();
  const std::size_t parts = std::min(records / worth_taking, parts_->parts_left());
  const std::size_t bytes = records * sizeof(TraceTuple) + parts * record_part_overhead();
  if (parts == 0 || bytes > parts_->bytes_left()) return;
  view.gone_ahead += records;
  std::vector<Bytes> all = view.records.pieces();
  std::span<Bytes> pieces(all);
  for (std::size_t left = parts; left > 0; --left) {
    const std::size_t next = records / left;
    records -= next;
    const std::vector<Bytes> first = first_of(pieces, next * sizeof(TraceTuple));
    parts_->send([&](wire::Message& message) { write_part(message, first, view.sent_in); });
  }
  view.records.clear();
}

std::optional<RecordBlock> read_record_part(const ReplyPart& part) {
  return msgpack_body::read_array(part.body, [&](msgpack_body::Entries& entries) {
    RecordBlock block = msgpack_body::read_records(entries, part.message);
    if (block.bytes.empty()) throw msgpack_body::BodyError();
    return block;
  });
}

std::size_t record_part_overhead() noexcept { return wire::part_overhead + block_overhead; }

}  // namespace eventspace
