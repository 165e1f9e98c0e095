#include "paths/server/reply_parts.h"

#include <utility>

namespace eventspace {

ReplyParts::ReplyParts(Replies& replies, std::string peer, std::uint64_t id, Limits limits)
    : replies_(&replies),
      peer_(std::move(peer)),
      id_(id),
      max_bytes_(limits.message_bytes),
      parts_left_(limits.queued_messages / 4) {}

void ReplyParts::send(const std::function<void(wire::Message&)>& write) {
  if (failed_) return;
  wire::Message part = wire::encode(wire::Kind::part, id_);
  write(part);
  wire::seal(part);
  // A gateway forwards parts that another server made within its own limits, which may be wider.
  failed_ = parts_left_ == 0 || part.size() > bytes_left();
  if (failed_) return;
  bytes_ += part.size();
  --parts_left_;
  ++sent_;
  failed_ = !replies_->send_part(peer_, std::move(part));
}

}  // namespace eventspace
