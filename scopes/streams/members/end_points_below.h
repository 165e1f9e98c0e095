#pragma once

#include <map>
#include <optional>
#include <vector>

#include <eventspace/rank_set.h>
#include <eventspace/stream_filter.h>

namespace eventspace::streams {

/// The end-points below one process, by child. Children notice losses at different times, so a child may name
/// end-points that have left another child, or that still seem to be below another one.
///
/// Invariants:
/// 1. An end-point is below one child at most. It stays there until that child loses it.
/// 2. all() has the end-points of all children, without those that have left them.
/// 3. An end-point that has left a child stays in of() of this child, which names it as missing, until it
/// joins
///    another child.
///
/// Does no I/O; not thread-safe.
class EndPointsBelow {
 public:
  /// `may_bring`: end-points that the child may name; nullopt: any that no other child has.
  void add(Child child, std::optional<RankSet> may_bring) {
    children_[child].may_bring = std::move(may_bring);
  }
  /// The child is gone, with its end-points. Returns them, also those that had left it.
  RankSet remove(Child child);

  struct Joined {
    RankSet ranks;                ///< those that are now below the child
    RankSet news;                 ///< of `ranks`: not attached before
    RankSet elsewhere;            ///< those that are below another child, and stay there
    std::vector<Child> previous;  ///< other children that have lost some of them to this child
  };
  /// These end-points are below the child.
  Joined join(Child child, const RankSet& ranks);
  /// End-points are gone. Returns the ones that were below the child.
  RankSet leave(Child child, const RankSet& ranks);
  /// The intersection of these end-points with those that the child may name.
  [[nodiscard]] RankSet allowed(Child child, const RankSet& ranks) const;
  /// The child has adopted these end-points, which are still below another child.
  void claim(Child child, const RankSet& ranks);
  /// Removes those claims of the child whose end-points are no longer below another child; returns their
  /// end-points, which can join.
  [[nodiscard]] RankSet take_free_claims(Child child);
  /// The process has no children, and is itself these end-points.
  void be(const RankSet& ranks) { all_ = ranks; }

  [[nodiscard]] const RankSet& all() const noexcept { return all_; }
  /// Empty for an unknown child.
  [[nodiscard]] const RankSet& of(Child child) const;

 private:
  struct OfChild {
    RankSet ranks;
    RankSet gone;     // a subset of `ranks`: have left
    RankSet claimed;  // adopted by it, and still below another child
    std::optional<RankSet> may_bring;
  };

  std::map<Child, OfChild> children_;
  RankSet all_;
};

}  // namespace eventspace::streams
