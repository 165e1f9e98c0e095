#include "scopes/streams/members/end_points_below.h"

#include <utility>

namespace eventspace::streams {

RankSet EndPointsBelow::remove(Child child) {
  const auto found = children_.find(child);
  if (found == children_.end()) return {};
  RankSet ranks = std::move(found->second.ranks);
  children_.erase(found);
  all_ = all_ - ranks;
  return ranks;
}

EndPointsBelow::Joined EndPointsBelow::join(Child child, const RankSet& ranks) {
  OfChild& own = children_[child];
  Joined joined;
  joined.elsewhere = (ranks & all_) - own.ranks;
  joined.ranks = ranks - joined.elsewhere;
  for (auto& [other, its] : children_) {
    const RankSet moved = its.gone & joined.ranks;
    if (other == child || moved.empty()) continue;
    its.ranks = its.ranks - moved;
    its.gone = its.gone - moved;
    joined.previous.push_back(other);
  }
  joined.news = joined.ranks - (own.ranks - own.gone);
  own.ranks = own.ranks | joined.ranks;
  own.gone = own.gone - joined.ranks;
  all_ = all_ | joined.ranks;
  return joined;
}

RankSet EndPointsBelow::leave(Child child, const RankSet& ranks) {
  OfChild& own = children_[child];
  RankSet left = ranks & own.ranks;
  all_ = all_ - left;
  own.gone = own.gone | left;
  own.claimed = own.claimed - ranks;
  return left;
}

RankSet EndPointsBelow::allowed(Child child, const RankSet& ranks) const {
  const auto found = children_.find(child);
  if (found == children_.end() || !found->second.may_bring) return ranks;
  return ranks & (*found->second.may_bring | found->second.ranks);
}

void EndPointsBelow::claim(Child child, const RankSet& ranks) {
  OfChild& own = children_[child];
  own.claimed = own.claimed | ranks;
}

RankSet EndPointsBelow::take_free_claims(Child child) {
  const auto found = children_.find(child);
  if (found == children_.end()) return {};
  RankSet& claimed = found->second.claimed;
  RankSet free = claimed - all_;
  claimed = claimed - free;
  return free;
}

const RankSet& EndPointsBelow::of(Child child) const {
  static const RankSet none;
  const auto found = children_.find(child);
  return found == children_.end() ? none : found->second.ranks;
}

}  // namespace eventspace::streams
