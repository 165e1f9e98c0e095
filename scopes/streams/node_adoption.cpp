#include <algorithm>
#include <utility>

#include "scopes/streams/node.h"

// The refuges of processes that lose their parents: a process sends them to its children, and receives them
// from above.

namespace eventspace::streams {

void StreamNode::set_adoption(Adoption adoption) {
  adoption_ = adoption;
  for (auto& [child, kid] : kids_) notify_lineage(kid.link);
  notify_siblings();
}

// The ancestors of a child's parent are this process, if it is internal, and those above it.
void StreamNode::notify_lineage(NodeLink& link) {
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

void StreamNode::on_lineage(const Frame& frame) {
  try {
    above_parent_ = decode_endpoints(frame.packet);
  } catch (const PacketError&) {
    ++malformed_;
    return;
  }
  set_adoption(frame.number == static_cast<std::uint64_t>(Adoption::sibling) ? Adoption::sibling
                                                                             : Adoption::ancestor);
}

// Sends internal processes each other's endpoints. For a few hundred of them that is a few hundred endpoints
// to each, whenever one comes or goes. Endpoints beyond the limit are left out, and are not used as refuges.
void StreamNode::notify_siblings() {
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

void StreamNode::on_siblings(const Frame& frame) {
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
  for (auto& [child, kid] : kids_) notify_lineage(kid.link);
}

// These end-points have lost the child that they were below, so the other children may adopt them.
void StreamNode::offer_orphans(const RankSet& ranks) {
  if (adoption_ != Adoption::sibling || ranks.empty()) return;
  for (auto& [child, kid] : kids_) {
    if (!kid.endpoint.empty()) post(kid.link, {.kind = FrameKind::orphans, .packet = {.ranks = ranks}});
  }
  notify_siblings();
}

// Processes that have lost the same parent begin with different refuges, so that they spread.
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
