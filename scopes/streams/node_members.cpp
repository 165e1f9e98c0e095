#include <utility>

#include "scopes/streams/node.h"

// Changes of the members of streams while they are in use.

namespace eventspace::streams {

bool StreamNode::set_members(std::uint32_t number, const RankSet& members) {
  Stream* const stream = find(number);
  if (stream == nullptr) return false;
  change_members(*stream, members);
  return true;
}

void StreamNode::change_members(Stream& stream, const RankSet& members) {
  const RankSet before = std::exchange(stream.options.members, members);
  if (part_ == Part::back_end) return;
  for (auto& [child, kid] : kids_) change_member(stream, child, kid);
  stream.waves.forget(before - members);  // also end-points that had left the network
  pump(stream, Clock::now());             // a wave may have waited for a removed member
  grant_parent(stream);
}

void StreamNode::change_member(Stream& stream, Child child, Kid& kid) {
  const bool takes_part = stream.down.contains(child);
  introduce(stream, child, kid);
  if (takes_part && stream.down.contains(child)) {
    post(kid.link,
         {.kind = FrameKind::members, .stream = stream.id, .packet = {.ranks = stream.options.members}});
  }
}

// For the child the stream is closed; it may be opened again.
void StreamNode::exclude(Stream& stream, Child child, Kid& kid) {
  part_with(stream, child);
  post(kid.link, {.kind = FrameKind::close, .stream = stream.id});
}

}  // namespace eventspace::streams
