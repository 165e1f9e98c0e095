#include "scopes/streams/refuges.h"

#include <algorithm>
#include <utility>

namespace eventspace::streams {

void Refuges::set_adoption(Adoption adoption) {
  adoption_ = adoption;
  introduce_all();
  update_siblings();
}

void Refuges::set_parent(const std::string& endpoint) {
  parent_endpoint_ = endpoint;
  above_parent_.clear();
  siblings_.clear();
  siblings_of_parent_.clear();
  introduce_all();
}

void Refuges::introduce_all() {
  for (auto& [child, one] : children_) introduce(one.link);
}

// The ancestors of a child's parent are this process, if it is internal, and those above it.
void Refuges::introduce(NodeLink& child) {
  if (parent_.part() != Part::front_end && parent_endpoint_.empty()) return;
  std::vector<std::string> above = above_parent_;
  if (!parent_endpoint_.empty()) above.insert(above.begin(), parent_endpoint_);
  child.post({.kind = FrameKind::lineage,
              .number = static_cast<std::uint64_t>(adoption_),
              .packet = encode_endpoints(above)});
  if (adoption_ == Adoption::sibling) {
    child.post({.kind = FrameKind::siblings, .number = of_the_parent, .packet = encode_endpoints(siblings_)});
  }
}

void Refuges::on_lineage(const Frame& frame) {
  above_parent_ = decode_endpoints(frame.packet);
  set_adoption(frame.number == static_cast<std::uint64_t>(Adoption::sibling) ? Adoption::sibling
                                                                             : Adoption::ancestor);
}

// Sends internal processes each other's endpoints. For a few hundred of them that is a few hundred endpoints
// to each, whenever one comes or goes. Endpoints beyond the limit are left out, and are not used as refuges.
void Refuges::update_siblings() {
  if (adoption_ != Adoption::sibling) return;
  for (auto& [child, one] : children_) {
    if (one.endpoint.empty() || one.is_out) continue;
    std::vector<std::string> others;
    for (const auto& [other, sibling] : children_) {
      if (other != child && !sibling.endpoint.empty() && !sibling.is_out) others.push_back(sibling.endpoint);
    }
    one.link.post({.kind = FrameKind::siblings, .packet = encode_endpoints(others)});
  }
}

void Refuges::on_siblings(const Frame& frame) {
  auto endpoints = decode_endpoints(frame.packet);
  if (frame.number == of_the_parent) {
    siblings_of_parent_ = std::move(endpoints);
    return;
  }
  siblings_ = std::move(endpoints);
  introduce_all();
}

void Refuges::offer_orphans(const RankSet& ranks) {
  if (adoption_ != Adoption::sibling || ranks.empty()) return;
  for (auto& [child, one] : children_) {
    if (!one.endpoint.empty()) one.link.post({.kind = FrameKind::orphans, .packet = {.ranks = ranks}});
  }
  update_siblings();
}

Refuges::List Refuges::list(const RankSet& ranks) const {
  List found{siblings_of_parent_, 0};
  found.siblings = found.endpoints.size();
  if (!found.endpoints.empty()) {
    const std::size_t first = ranks.at(0).value_or(0) % found.endpoints.size();
    std::rotate(found.endpoints.begin(), found.endpoints.begin() + static_cast<std::ptrdiff_t>(first),
                found.endpoints.end());
  }
  found.endpoints.insert(found.endpoints.end(), above_parent_.begin(), above_parent_.end());
  return found;
}

}  // namespace eventspace::streams
