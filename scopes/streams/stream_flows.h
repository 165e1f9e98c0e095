#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <eventspace/streams.h>
#include "scopes/streams/child_links.h"
#include "scopes/streams/flow.h"
#include "scopes/streams/members/end_points_below.h"
#include "scopes/streams/packets/user_queue.h"
#include "scopes/streams/parent_link.h"

namespace eventspace::streams {

/// The queues of one stream in one process: to the parent, to each child that takes part, and to the user at
/// an end of the network. Packets are added here and are sent when links have room (link_sender.h).
///
/// Invariants:
/// 1. Each queue holds at most a window, and one packet more than its bytes. With WhenFull::wait the caller
///    asks has_room_up() and has_room_down() first; otherwise packets are dropped and counted here.
/// 2. A link with packets that can be sent is marked.
///
/// Not thread-safe.
class StreamFlows {
 public:
  /// A child that takes part in the stream.
  struct Branch {
    NodeLink* link;
    bool is_process;
    bool is_slow{false};  ///< it gets no more packets, and is to be disconnected (WhenFull::disconnect)
    Flow flow;
  };
  using Branches = std::map<Child, Branch>;

  /// `parent` and `turns` must outlive this object.
  StreamFlows(std::uint32_t stream, WhenFull when_full, Load window, ParentLink& parent, UserTurns& turns)
      : parent_(&parent),
        when_full_(when_full),
        window_(window),
        up_(window),
        stream_(stream),
        for_user_(stream, turns) {}

  /// The child takes part. Returns false if it did before. Its link must outlive its part.
  bool add_child(Child child, ChildLink& link);
  /// Returns false if it took no part. Its queued packets are dropped.
  bool remove_child(Child child) { return branches_.erase(child) > 0; }
  [[nodiscard]] bool has_child(Child child) const { return branches_.contains(child); }
  /// Null if the child takes no part.
  [[nodiscard]] Branch* find_child(Child child);
  [[nodiscard]] Branches& branches() noexcept { return branches_; }
  [[nodiscard]] const Branches& branches() const noexcept { return branches_; }
  [[nodiscard]] Flow& up() noexcept { return up_; }
  [[nodiscard]] UserQueue& for_user() noexcept { return for_user_; }
  void post_to_children(const Frame& frame);

  /// Queues a packet for the parent or, in a front-end, for the user (then without marks).
  void add_up(Packet packet);
  /// Queues a packet for the children with end-points among `packet.ranks`, or all; in a back-end for the
  /// user. Returns the children that are now too slow.
  [[nodiscard]] std::vector<Child> add_down(Packet packet, const EndPointsBelow& below);
  /// Lets packets for children leave, if they were held.
  void mark_children();

  [[nodiscard]] bool has_room_up() const { return when_full_ != WhenFull::wait || !held_up().fills(window_); }
  [[nodiscard]] bool has_room_down() const {
    return when_full_ != WhenFull::wait || !held_down().fills(window_);
  }
  /// Packets that are queued to go up or, in a front-end, for the user.
  [[nodiscard]] Load held_up() const;
  /// Packets that wait for the slowest child or, in a back-end, for the user.
  [[nodiscard]] Load held_down() const;
  /// Grants the parent credit for the room that there is.
  void grant_parent();
  /// Reports to the parent how many packets were dropped since the last call. They are reported together, as
  /// a process may drop thousands of packets before it can send a message.
  void report_dropped();
  /// Packets that a process below has dropped; that process has reported them.
  void count_dropped_below(std::uint64_t packets) noexcept { dropped_ += packets; }

  [[nodiscard]] Load window() const noexcept { return window_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  [[nodiscard]] Load sent_down() const noexcept { return sent_down_; }  ///< queued for children

 private:
  void deliver(Packet packet);
  void count_dropped(std::uint64_t packets) noexcept;

  ParentLink* parent_;
  WhenFull when_full_;
  Load window_;
  Flow up_;
  Branches branches_;
  std::uint32_t stream_;
  UserQueue for_user_;
  std::uint64_t dropped_{0};
  std::uint64_t unreported_{0};  // of them
  Load sent_down_;
};

/// The frame that grants `total` of a stream.
[[nodiscard]] inline Frame credit_frame(std::uint32_t stream, Load total) {
  return {.kind = FrameKind::credit, .stream = stream, .number = total.packets, .bytes = total.bytes};
}

}  // namespace eventspace::streams
