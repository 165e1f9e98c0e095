#include "scopes/pulls/record_parts.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "scopes/pulls/record_block.h"

namespace eventspace {
namespace {

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
  message.reserve(message.size() + wire::RecordArray::overhead + wire::bytes_in(pieces));
  msgpack_body::write_into(
      message, [&](wire::EntryWriter writer) { wire::RecordArray::write(writer, pieces, order); });
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

std::optional<RecordBlock> read_record_part(const ReplyPart& part) try {
  wire::Body body(part.body, wire::Body::default_depth, part.message);
  RecordBlock block = wire::RecordArray::read(body);
  body.expect_end();
  return block.bytes.empty() ? std::nullopt : std::optional(std::move(block));
} catch (const wire::BodyError&) {
  return std::nullopt;
}

std::size_t record_part_overhead() noexcept { return wire::part_overhead + wire::RecordArray::overhead; }

}  // namespace eventspace
