#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "paths/pushes.h"
#include "scopes/streams/frame.h"
#include "scopes/streams/refuges.h"
#include "scopes/streams/stream_table.h"

namespace eventspace::streams {

/// The children of one process as they come and go, with the end-points below them. Streams learn of each
/// change, and the process above gets an event.
///
/// Invariants:
/// 1. An end-point is below at most one child. Children notice losses at different times, so a second child
/// may
///    name it. It stays below the first child until that loses it; the second child, if it has children,
///    claims it and gets it then.
/// 2. A child that is disconnected has no end-points and takes part in no stream. Its link stays until the
///    child ends it.
///
/// Not thread-safe. Never blocks.
class Membership {
 public:
  /// All of these must outlive this object.
  Membership(NodeLinks& links, StreamTable& streams, Refuges& refuges)
      : links_(links), streams_(streams), refuges_(refuges) {}
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// See StreamNode::add_child().
  Child add(PushOutlet& outlet, const RankSet& ranks, const std::string& text,
            std::optional<RankSet> may_bring, const std::string& endpoint, Part part);
  /// Removes a child that is gone; `why` is for the event. Does nothing if there is no such child.
  void remove(Child child, const std::string& why);
  /// Ends the network for a child, which receives the reason.
  void disconnect(Child child, const std::string& why);

  /// The child names end-points that have joined below it.
  void on_joined(Child child, const Frame& frame);
  /// The child names end-points that are no longer below it.
  void on_left(Child child, const Frame& frame);

  /// How often a child named end-points that it may not bring, or that are below another child.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void take_out(Child child, const std::string& why);
  void join(Child child, ChildLink& link, const RankSet& ranks, const std::string& text);
  void settle_claims();

  NodeLinks& links_;
  StreamTable& streams_;
  Refuges& refuges_;
  std::uint64_t refused_{0};
};

}  // namespace eventspace::streams
