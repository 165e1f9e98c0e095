#include "scopes/streams/membership.h"

#include <span>
#include <utility>

namespace eventspace::streams {

Child Membership::add(PushOutlet& outlet, const RankSet& ranks, const std::string& text,
                      std::optional<RankSet> may_bring, const std::string& endpoint, Part part) {
  const Child child = links_.children.add(outlet, endpoint, part == Part::internal);
  ChildLink& link = links_.children.at(child);
  links_.below.add(child, std::move(may_bring));
  link.link.post({.kind = FrameKind::welcome, .packet = {.ranks = ranks}});
  refuges_.introduce(link.link);
  join(child, link, ranks, text);
  if (!endpoint.empty()) refuges_.update_siblings();
  return child;
}

void Membership::remove(Child child, const std::string& why) {
  const ChildLink* const link = links_.children.find(child);
  if (link == nullptr) return;
  const RankSet ranks = links_.below.of(child);
  const bool was_internal = !link->endpoint.empty();
  if (!link->is_out) take_out(child, why);
  links_.children.remove(child);
  settle_claims();
  if (was_internal) refuges_.offer_orphans(ranks - links_.below.all());
}

// The link stays until the child ends it, so that the child receives the reason even if it does not read now.
void Membership::disconnect(Child child, const std::string& why) {
  ChildLink& link = links_.children.at(child);
  if (std::exchange(link.is_out, true)) return;
  Frame over{.kind = FrameKind::over};
  over.packet.body = std::as_bytes(std::span(why));
  link.link.post(over);
  take_out(child, "disconnected: " + why);
  settle_claims();
}

void Membership::take_out(Child child, const std::string& why) {
  const RankSet ranks = links_.below.remove(child);
  for (auto& [number, stream] : streams_.all()) stream.remove_child(child);
  links_.parent.report_event(EventKind::left, ranks, why);
}

// An end-point is below one child only: if it is attached elsewhere, it stays there until it is lost there.
void Membership::join(Child child, ChildLink& link, const RankSet& ranks, const std::string& text) {
  const EndPointsBelow::Joined joined = links_.below.join(child, ranks);
  if (!joined.elsewhere.empty()) {
    ++refused_;
    if (link.is_process) {  // its packets contain them, as it has adopted them
      links_.below.claim(child, joined.elsewhere);
      for (auto& [number, stream] : streams_.all())
        stream.passing().waves().inputs().claim(child, members_among(stream.options(), joined.elsewhere));
    }
  }
  for (const Child previous : joined.previous) {
    for (auto& [number, stream] : streams_.all()) stream.update_child(previous, links_.children.at(previous));
  }
  for (auto& [number, stream] : streams_.all()) stream.update_child(child, link);
  if (!joined.ranks.empty()) link.link.post({.kind = FrameKind::known});
  if (!joined.news.empty()) links_.parent.report_event(EventKind::joined, joined.news, text);
}

// Children notice losses at different times: one may have adopted end-points that still seem to be below
// another.
void Membership::settle_claims() {
  for (auto& [child, link] : links_.children) {
    const RankSet free = links_.below.take_free_claims(child);
    if (!free.empty()) join(child, link, free, "");
  }
}

// A child must not bring end-points that could take the place of others that belong elsewhere.
void Membership::on_joined(Child child, const Frame& frame) {
  const RankSet allowed = links_.below.allowed(child, frame.packet.ranks);
  if (allowed != frame.packet.ranks) ++refused_;
  join(child, links_.children.at(child), allowed, text_of(frame.packet));
}

// The child continues to name them as missing in its waves.
void Membership::on_left(Child child, const Frame& frame) {
  const RankSet left = links_.below.leave(child, frame.packet.ranks);
  links_.parent.report_event(EventKind::left, left, text_of(frame.packet));
  settle_claims();
}

}  // namespace eventspace::streams
