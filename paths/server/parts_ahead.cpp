#include "paths/server/parts_ahead.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "paths/wire/view_codec.h"
#include "paths/wire/wire.h"

namespace eventspace {
namespace {

// Cuts them off, and goes on to the piece behind when nothing of one is left.
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

}  // namespace

PartsAhead::PartsAhead(Replies& replies, std::string peer, std::uint64_t id, Limits limits)
    : replies_(&replies),
      peer_(std::move(peer)),
      id_(id),
      most_bytes_(limits.message_bytes),
      parts_left_(limits.queued_messages / 4) {}

// Parts of about one size, none of them smaller than is worth it.
void PartsAhead::offer(View& view) {
  std::size_t records = view.records_here();
  const std::size_t parts = std::min(records / worth_taking, parts_left_);
  const std::size_t bytes = records * sizeof(TraceTuple) + parts * wire::part_overhead;
  if (failed_ || parts == 0 || bytes > most_bytes_ - bytes_) return;
  view.gone_ahead += records;
  std::vector<Bytes> all = msgpack_body::pieces_of(view);
  std::span<Bytes> pieces(all);
  for (std::size_t left = parts; left > 0; --left) {
    const std::size_t next = records / left;
    records -= next;
    send(first_of(pieces, next * sizeof(TraceTuple)), view.sent_in);
  }
  view.blocks.clear();
  view.records.clear();
}

void PartsAhead::send(std::span<const Bytes> pieces, ByteOrder order) {
  if (failed_) return;
  wire::Message part = wire::encode_part(id_, pieces, order);
  bytes_ += part.size();
  --parts_left_;
  failed_ = !replies_->send_part(peer_, std::move(part));
}

}  // namespace eventspace
