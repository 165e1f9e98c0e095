#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include "scopes/streams/filter_change.h"
#include "scopes/streams/wave_passing.h"

namespace eventspace::streams {

/// One stream in one process: its members, the children that take part, and the way of packets down. The way
/// up is WavePassing; the replacement of filters is FilterChange.
///
/// Invariant: a child takes part, so that waves wait for it, if and only if members of the stream are below
/// it and it has not refused the stream.
///
/// Not thread-safe. Never blocks, except in filters.
class NodeStream {
 public:
  using Clock = WavePassing::Clock;

  /// For a running stream, `next_wave` is the number of its first wave here. Throws the error of a filter or
  /// rule that cannot be made.
  NodeStream(std::uint32_t number, StreamOptions options, std::uint64_t next_wave, std::uint32_t generation,
             StreamPlace place);
  NodeStream(const NodeStream&) = delete;
  NodeStream& operator=(const NodeStream&) = delete;

  // --- children

  /// Compares the stream's members with the end-points of a child, which are new or have changed: the child
  /// joins, stays, or is excluded.
  void update_child(Child child, ChildLink& link);
  /// The child is gone.
  void remove_child(Child child);
  /// The child lacks the filters, so its end-points are missing in all waves, and no wave waits for it.
  void refuse_child(Child child, const Frame& frame);
  /// Previous members continue with their next wave; packets of removed members still take part in their
  /// waves.
  void set_members(const RankSet& members, ChildLinks& children);
  void close_for_children();

  // --- the parent

  /// Packets that go up are queued until there is a new parent.
  void lose_parent();
  /// A new parent has opened the stream again. Returns the reason if this process cannot take part. Throws
  /// PacketError for a frame that breaks the rules.
  [[nodiscard]] std::optional<std::string> open_again(const Frame& open);
  /// Whether the current parent has the stream.
  [[nodiscard]] bool is_confirmed() const noexcept { return is_confirmed_; }

  // --- packets

  /// Runs a packet of the user or of the parent through the filters, and queues the packets that they make
  /// for the children, or for the user of a back-end. Returns the children that are now too slow.
  [[nodiscard]] std::vector<Child> spread(Packet packet);
  /// Takes in a packet of the parent, and spreads it.
  [[nodiscard]] std::vector<Child> receive_from_parent(Frame& frame);

  [[nodiscard]] const StreamOptions& options() const noexcept { return options_; }
  [[nodiscard]] WavePassing& passing() noexcept { return passing_; }
  [[nodiscard]] const WavePassing& passing() const noexcept { return passing_; }
  [[nodiscard]] StreamFlows& flows() noexcept { return passing_.flows(); }
  [[nodiscard]] FilterChange& change() noexcept { return change_; }
  [[nodiscard]] const FilterChange& change() const noexcept { return change_; }
  [[nodiscard]] StreamCounters counters() const;
  [[nodiscard]] StreamReport report() const;

 private:
  void introduce(Child child, ChildLink& link, const RankSet& ranks);
  void part_with(Child child);
  [[nodiscard]] std::vector<Packet> filtered(Packet packet);

  std::uint32_t number_;
  StreamOptions options_;
  const EndPointsBelow& below_;
  ParentLink& parent_;
  WavePassing passing_;
  FilterChange change_;
  std::set<Child> refusing_;  // children that take no part, as they cannot make the filters
  bool is_confirmed_{true};
};

}  // namespace eventspace::streams
