#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <eventspace/streams.h>
#include <eventspace/topology.h>
#include "paths/pushes.h"
#include "scopes/streams/frame.h"
#include "scopes/streams/link_sender.h"
#include "scopes/streams/membership.h"
#include "scopes/streams/refuges.h"
#include "scopes/streams/stream_table.h"

namespace eventspace::streams {

/// One process of a network of streams: its streams (StreamTable), and the links above and below it over
/// which they run (paths/pushes.h). It forwards packets down, forms waves on the way up, and runs the
/// filters; in a front-end or back-end, packets are queued for the user. The same code runs in all three
/// parts.
///
/// It does no I/O itself: messages come in by the receive functions and leave by the sender(). It acts on
/// each frame, and keeps together what concerns all parts of the process:
///
///     StreamTable   streams: NodeStream -> FilterChange, WavePassing -> StreamFlows
///     NodeLinks     links to the parent and the children, and which end-points are below which child
///     Membership    children that come and go, with their end-points
///     Refuges       where processes attach that lose their parent
///     LinkSender    packs what is queued into messages
///
/// Bounds: credit ensures that each flow and each queue holds at most a window of packets and bytes (flow.h).
/// Bytes from peers are checked; if a peer breaks the rules, that is counted and its message dropped.
///
/// Not thread-safe. Never blocks.
class StreamNode {
 public:
  static constexpr std::size_t max_events = ParentLink::max_events;  ///< queued for the user

  /// `process`: its number in the topology, if it has children and is in the topology.
  explicit StreamNode(Part part, std::optional<std::uint32_t> process = std::nullopt);
  StreamNode(const StreamNode&) = delete;
  StreamNode& operator=(const StreamNode&) = delete;

  [[nodiscard]] StreamTable& streams() noexcept { return streams_; }
  [[nodiscard]] const StreamTable& streams() const noexcept { return streams_; }

  // --- links

  /// Adds a child with these end-points. `outlet` is valid until remove_child. `text` is for the event.
  /// `may_bring`: end-points that the child may name later; nullopt: any that no other child has. `endpoint`:
  /// where children of the child attach; empty: it has no children, or they may not attach elsewhere. `part`:
  /// whether it has children itself.
  Child add_child(PushOutlet& outlet, const RankSet& ranks, const std::string& text = {},
                  std::optional<RankSet> may_bring = std::nullopt, const std::string& endpoint = {},
                  Part part = Part::back_end);
  /// Removes a child; `why` is for the event.
  void remove_child(Child child, const std::string& why);
  /// The process is attached to a parent at this endpoint. If it had another parent before, its streams
  /// continue as soon as the new parent has sent them.
  void set_parent(PushOutlet* outlet, const std::string& endpoint);
  /// The connection to the parent is lost. Packets that go up are queued.
  void lose_parent();
  /// The network has ended, for the user and for all processes below, which receive the end with the next
  /// flush().
  void end(const std::string& why);
  void receive_from_child(Child child, Bytes message);
  void receive_from_parent(Bytes message);
  /// A peer has granted credit, or there may be messages to send for another reason.
  void look_at(std::optional<Child> child);

  [[nodiscard]] LinkSender& sender() noexcept { return sender_; }
  [[nodiscard]] const LinkSender& sender() const noexcept { return sender_; }
  [[nodiscard]] Refuges& refuges() noexcept { return refuges_; }
  [[nodiscard]] const Refuges& refuges() const noexcept { return refuges_; }
  [[nodiscard]] std::optional<Event> take_event() { return links_.parent.take_event(); }

  [[nodiscard]] const RankSet& ranks() const noexcept {
    return links_.below.all();
  }  ///< below, or a back-end's own
  /// Messages from peers that were invalid or exceeded a limit.
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_ + membership_.refused(); }
  [[nodiscard]] bool is_welcome() const noexcept { return welcome_; }  ///< the parent has sent the ranks
  /// Why the network has ended for this process; empty: it has not.
  [[nodiscard]] const std::string& why_over() const noexcept { return over_; }

 private:
  void on_child(Child child, ChildLink& link, Frame& frame);
  void on_parent(Frame& frame);
  void on_stream_frame(const Frame& frame);
  void on_open(Frame& frame);
  void on_data_up(Child child, Frame& frame, bool more_follow);
  void on_data_down(Frame& frame);
  void refuse(const Frame& open, const std::string& reason);

  NodeLinks links_;
  StreamTable streams_;
  Refuges refuges_;
  Membership membership_;
  LinkSender sender_;
  bool welcome_{false};
  std::string over_;  // why the network has ended for this process
  bool told_end_{false};
  std::uint64_t malformed_{0};
};

}  // namespace eventspace::streams
