#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <eventspace/rank_set.h>
#include <eventspace/streams.h>
#include "scopes/streams/child_links.h"
#include "scopes/streams/frame.h"
#include "scopes/streams/parent_link.h"

namespace eventspace::streams {

/// Where a process attaches when its parent is lost. A process receives the endpoints of its refuges from
/// above, and sends its children theirs:
///
/// - lineage, to all children: the processes above the child's parent, nearest first, and the Adoption;
/// - siblings, with Adoption::sibling: the other internal children of the parent, to internal children, and
///   those of the parent's parent, to all children;
/// - orphans, with Adoption::sibling, to internal children: end-points that have lost a sibling of the child
///   and may attach to it.
///
/// Invariant: after each function, children that are processes know all refuges that this process knows. The
/// functions for frames throw PacketError, without effect, for a damaged one. Does no I/O; not thread-safe.
class Refuges {
 public:
  /// Endpoints, to be tried in this order.
  struct List {
    std::vector<std::string> endpoints;
    std::size_t siblings{0};  ///< the first ones: of the parent. The others are above it, nearest first
  };

  /// Both must outlive this object. `parent` knows the part of the process.
  Refuges(const ParentLink& parent, ChildLinks& children) : parent_(parent), children_(children) {}
  Refuges(const Refuges&) = delete;
  Refuges& operator=(const Refuges&) = delete;

  /// `ranks`: the end-points below the process, or its own. Processes that have lost the same parent begin
  /// with different refuges, so that no refuge gets all of them.
  [[nodiscard]] List list(const RankSet& ranks) const;
  [[nodiscard]] Adoption adoption() const noexcept { return adoption_; }
  /// End-points that belong below another process, which is lost, and may attach here.
  [[nodiscard]] const RankSet& adoptable() const noexcept { return adoptable_; }

  /// Sets it for the whole network. Only in a front-end.
  void set_adoption(Adoption adoption);
  /// The process is attached to a parent at this endpoint. Its refuges are unknown until the parent sends
  /// them.
  void set_parent(const std::string& endpoint);
  /// Sends a new child what is above it.
  void introduce(NodeLink& child);
  /// Internal children have come or gone.
  void update_siblings();
  /// These end-points have lost the child that they were below, so the other children may adopt them.
  void offer_orphans(const RankSet& ranks);

  void on_lineage(const Frame& frame);
  void on_siblings(const Frame& frame);
  void on_orphans(const Frame& frame) { adoptable_ = adoptable_ | frame.packet.ranks; }

 private:
  void introduce_all();

  const ParentLink& parent_;
  ChildLinks& children_;
  Adoption adoption_{Adoption::ancestor};
  std::string parent_endpoint_;
  std::vector<std::string> above_parent_;
  std::vector<std::string> siblings_;            // other internal children of the parent
  std::vector<std::string> siblings_of_parent_;  // as sent by the parent
  RankSet adoptable_;
};

}  // namespace eventspace::streams
