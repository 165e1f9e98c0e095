#include <algorithm>
#include <utility>

#include "scopes/streams/node.h"

// Where processes go when their parent is lost: what a process tells those below it, and hears from above.

namespace eventspace::streams {

void StreamNode::set_adoption(Adoption adoption) {
  adoption_ = adoption;
  for (auto& [child, kid] : kids_) tell_lineage(kid.link);
  tell_siblings();
}

// An internal process is above its children's parent; so is what is above it.
void StreamNode::tell_lineage(NodeLink& link) {
  if (part_ != Part::front_end && parent_endpoint_.empty()) return;
  std::vector<std::string> above = above_parent_;
  if (!parent_endpoint_.empty()) above.insert(above.begin(), parent_endpoint_);
  post(link, {.kind = FrameKind::lineage,
              .number = static_cast<std::uint64_t>(adoption_),
              .packet = encode_endpoints(above)});
  if (adoption_ == Adoption::sibling) {
    post(link, {.kind = FrameKind::siblings, .number = of_the_parent, .packet = encode_endpoints(siblings_)});
  }
}

void StreamNode::hear_lineage(const Frame& frame) {
  try {
    above_parent_ = decode_endpoints(frame.packet);
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  set_adoption(frame.number == static_cast<std::uint64_t>(Adoption::sibling) ? Adoption::sibling
                                                                             : Adoption::ancestor);
}

// Internal processes learn of each other. For a few hundred of them that is a few hundred endpoints to each,
// whenever one comes or goes; of more, those that are left off are no refuge.
void StreamNode::tell_siblings() {
  if (adoption_ != Adoption::sibling) return;
  for (auto& [child, kid] : kids_) {
    if (kid.endpoint.empty() || kid.is_out) continue;
    std::vector<std::string> others;
    for (const auto& [other, sibling] : kids_) {
      if (other != child && !sibling.endpoint.empty() && !sibling.is_out) others.push_back(sibling.endpoint);
    }
    post(kid.link, {.kind = FrameKind::siblings, .packet = encode_endpoints(others)});
  }
}

void StreamNode::hear_siblings(const Frame& frame) {
  try {
    auto endpoints = decode_endpoints(frame.packet);
    if (frame.number == of_the_parent) {
      siblings_of_parent_ = std::move(endpoints);
      return;
    }
    siblings_ = std::move(endpoints);
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  for (auto& [child, kid] : kids_) tell_lineage(kid.link);
}

// These end-points have lost the child that they were below: the others may take them.
void StreamNode::offer_orphans(const RankSet& ranks) {
  if (adoption_ != Adoption::sibling || ranks.empty()) return;
  for (auto& [child, kid] : kids_) {
    if (!kid.endpoint.empty()) post(kid.link, {.kind = FrameKind::orphans, .packet = {.ranks = ranks}});
  }
  tell_siblings();
}

// Those that have lost the same parent begin with different ones, so that they spread.
StreamNode::Refuges StreamNode::refuges() const {
  Refuges found{siblings_of_parent_, 0};
  found.siblings = found.endpoints.size();
  if (!found.endpoints.empty()) {
    const std::size_t first = ranks_.at(0).value_or(0) % found.endpoints.size();
    std::rotate(found.endpoints.begin(), found.endpoints.begin() + static_cast<std::ptrdiff_t>(first),
                found.endpoints.end());
  }
  found.endpoints.insert(found.endpoints.end(), above_parent_.begin(), above_parent_.end());
  return found;
}

}  // namespace eventspace::streams
