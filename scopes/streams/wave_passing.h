#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/streams.h>
#include "scopes/streams/filters/synchronisation.h"
#include "scopes/streams/holding.h"
#include "scopes/streams/members/end_points_below.h"
#include "scopes/streams/parent_link.h"
#include "scopes/streams/plugins/filter_generations.h"
#include "scopes/streams/stream_flows.h"

namespace eventspace::streams {

/// What a stream uses of its process. All of it must outlive the stream.
struct StreamPlace {
  ParentLink& parent;
  const EndPointsBelow& below;
  UserTurns& turns;
};

/// The way up of one stream in one process: packets of the children form waves (synchronisation.h), filters
/// combine each wave, and the packets that they make are queued to go up.
///
///     children --> waves --> filters of the wave's generation --> flows: parent, or user
///
/// Invariants:
/// 1. A wave is passed on only if there is room above, so a process that is slow makes its children wait.
/// 2. Each wave is passed on once, with the end-points that are missing in it. If a filter fails, the
///    parent gets a mark instead, so that it does not wait for the wave; the fault is counted and reported.
/// 3. A child has credit for what the waves and the queue above have room for.
///
/// Not thread-safe. Never blocks, except in filters.
class WavePassing {
 public:
  using Clock = Synchronisation::Clock;

  /// `options` must outlive this object. Throws the error of a filter or rule that cannot be made.
  WavePassing(std::uint32_t stream, const StreamOptions& options, std::uint32_t generation,
              StreamPlace place);
  WavePassing(const WavePassing&) = delete;
  WavePassing& operator=(const WavePassing&) = delete;

  /// For a process that joins a running stream: the number of its first wave.
  void begin_at(std::uint64_t wave);
  /// A child takes part with these end-points, or its end-points have changed to these. Waves before `from`
  /// do not wait for it. Returns whether it is new.
  bool join(Child child, ChildLink& link, const RankSet& ranks, std::uint64_t from);
  /// Packets that filters kept for the child go up. Returns false if it took no part.
  bool leave(Child child);
  /// Takes in a packet of a child. The caller pumps after the last packet of a message.
  void receive(Child child, Packet packet, Clock::time_point now);
  /// Passes on all waves that are complete, as long as there is room.
  void pump(Clock::time_point now);
  /// Queues a packet of the user of a back-end, as `answer` to a wave. Numbers ascend.
  void send(Packet packet, std::optional<std::uint64_t> answer);
  /// The next wave that is made here has at least this number.
  void skip_to(std::uint64_t wave);

  /// The child may send more if there is room.
  void grant_child(Child child);
  void grant_children();
  void report_fault(std::uint64_t wave, const std::string& reason);
  /// The number of the next packet that goes down: all earlier ones were sent, or have come from the parent.
  [[nodiscard]] std::uint64_t next_down() const noexcept { return next_down_; }
  /// The number for a packet that the user of the front-end sends.
  [[nodiscard]] std::uint64_t take_next_down() noexcept { return next_down_++; }
  /// Counts a packet of the parent. Returns false if the parent had no credit for it.
  [[nodiscard]] bool count_from_parent(std::uint64_t number, std::size_t bytes);

  [[nodiscard]] StreamFlows& flows() noexcept { return flows_; }
  [[nodiscard]] const StreamFlows& flows() const noexcept { return flows_; }
  [[nodiscard]] Synchronisation& waves() noexcept { return waves_; }
  [[nodiscard]] const Synchronisation& waves() const noexcept { return waves_; }
  [[nodiscard]] FilterGenerations& filters() noexcept { return filters_; }
  [[nodiscard]] const FilterGenerations& filters() const noexcept { return filters_; }
  [[nodiscard]] BusyStream& busy() noexcept { return busy_; }
  [[nodiscard]] const BusyStream& busy() const noexcept { return busy_; }
  /// Without those of flows() and waves().
  [[nodiscard]] const StreamCounters& counters() const noexcept { return counters_; }

 private:
  bool pass_one(Clock::time_point now);
  void pass_up(Wave wave, Clock::time_point now);
  void lose_wave(FilterGenerations::Up& filters, std::uint64_t wave, const RankSet& missing);
  void finish_up(FilterGenerations::Up& filters, std::uint64_t wave, const RankSet& missing,
                 std::vector<Packet> packets);
  void leave_filters(FilterGenerations::Up& filters, Child child);
  void end_generation(std::uint32_t generation);
  void grant(Child child, StreamFlows::Branch& branch);

  std::uint32_t stream_;
  const StreamOptions& options_;
  ParentLink& parent_;
  const EndPointsBelow& below_;
  Synchronisation waves_;
  FilterGenerations filters_;
  StreamFlows flows_;
  BusyStream busy_;           // only in a front-end
  std::uint64_t next_up_{0};  // the number of the next packet, if they are counted
  std::uint64_t next_down_{0};
  std::uint64_t sent_up_{0};  // the number of the user's last packet, plus one
  StreamCounters counters_{};
};

/// The members of a stream among these end-points.
[[nodiscard]] RankSet members_among(const StreamOptions& options, const RankSet& ranks);

}  // namespace eventspace::streams
