#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <eventspace/stream_filter.h>

namespace eventspace::streams {

/// The packets of the children of one process in one stream that wait for their wave, and the end-points that
/// waves name as missing.
///
/// Invariants:
/// 1. Children are in the order of their least ranks, so waves are in rank order.
/// 2. A child that is gone stays until its last packet is taken.
///
/// Not thread-safe.
class WaveInputs {
 public:
  using Clock = std::chrono::steady_clock;

  struct Held {
    Packet packet;
    Clock::time_point came;
  };
  struct Input {
    RankSet ranks{};
    /// End-points that it had or claims, although another child has them: they are in its packets unless it
    /// names them as missing.
    RankSet others{};
    std::deque<Held> packets{};
    std::size_t bytes{0};
    std::uint64_t from{0};  ///< waves from this one on wait for it
    bool gone{false};
    bool is_process{false};  ///< it has children
    std::uint32_t ended{0};  ///< the newest generation that has ended for it
  };
  using Key = std::pair<RankSet::Rank, Child>;
  using Inputs = std::map<Key, Input>;

  /// `names_in_held`: end-points that a child gets are missing in its queued packets, which were made without
  /// them.
  explicit WaveInputs(bool names_in_held) noexcept : names_in_held_(names_in_held) {}

  // --- children

  /// A child with these end-points takes part from now on. If it is already known, its end-points change to
  /// these. `made` describes a new child; its end-points are `ranks`.
  void join(Child child, const RankSet& ranks, Input made);
  /// The child, which has children, reports that these end-points are below it, although they are known below
  /// another child. From now on they are in its packets, unless it names them as missing.
  void claim(Child child, const RankSet& ranks);
  /// The child sends nothing more. Its queued packets still take part; its end-points are missing in later
  /// waves until they join again.
  void leave(Child child);
  /// Removes the children that are gone and have no packets.
  void remove_gone();
  /// Null if there is no such child.
  [[nodiscard]] Input* find(Child child);
  [[nodiscard]] const Input* find(Child child) const;
  [[nodiscard]] Inputs& all() noexcept { return inputs_; }
  [[nodiscard]] const Inputs& all() const noexcept { return inputs_; }

  // --- end-points

  /// Those of these end-points that were never below a child here.
  [[nodiscard]] RankSet unknown(const RankSet& ranks) const;
  /// These end-points are no longer named as missing, as they have left the stream.
  void forget(const RankSet& ranks);
  /// These end-points take no part, and waves name them as missing.
  void lose(const RankSet& ranks) { lost_ = lost_ | ranks; }
  [[nodiscard]] const RankSet& lost() const noexcept { return lost_; }
  /// The end-points in a packet that are not known below any child, or are known below another one, which
  /// names them as missing.
  [[nodiscard]] static RankSet found_in(const Input& input, const Packet& packet);
  /// Adds the end-points that are missing in the packets of the wave.
  void name_missing(Wave& wave) const;

  // --- packets

  void add(Input& input, Packet packet, Clock::time_point now);
  /// Takes the first packet of a child, which has one.
  Held pop(Input& input);
  /// Without waves, the end of a generation for one child does not concern the others.
  void drop_marks();
  [[nodiscard]] std::size_t queued() const noexcept { return queued_; }
  /// Whether each child that is not gone has a packet.
  [[nodiscard]] bool have_all() const noexcept { return waited_for_ == 0; }
  /// Whether each child that takes part in this wave has a packet.
  [[nodiscard]] bool have_all_of(std::uint64_t wave) const;
  /// Some child takes part only from this wave on.
  [[nodiscard]] std::uint64_t newest_from() const noexcept { return newest_from_; }
  [[nodiscard]] std::size_t held(Child child) const;        ///< queued packets of the child
  [[nodiscard]] std::size_t held_bytes(Child child) const;  ///< and their bytes
  /// When the first of the packets came, without marks; valid after look_when_began() or if no packet was
  /// taken since.
  [[nodiscard]] const std::optional<Clock::time_point>& began() const noexcept { return began_; }
  void look_when_began();
  /// One more than the largest number of a back-end's packet that was taken.
  [[nodiscard]] std::uint64_t next_of_back_ends() const noexcept { return next_of_back_ends_; }

 private:
  void name_in_held(Input& input, const RankSet& ranks) const;

  bool names_in_held_;
  Inputs inputs_;
  std::map<Child, Inputs::iterator> of_;    // each child's element of inputs_
  RankSet lost_;                            // end-points of children that are gone
  std::size_t queued_{0};                   // packets in all inputs
  std::size_t waited_for_{0};               // inputs that are not gone and have no packets
  std::optional<Clock::time_point> began_;  // when the first of the queued packets came
  std::uint64_t next_of_back_ends_{0};
  std::uint64_t newest_from_{0};  // the largest Input::from
};

// For each packet, so inline.

inline void WaveInputs::add(Input& input, Packet packet, Clock::time_point now) {
  if (input.packets.empty()) --waited_for_;
  if (!began_ && !packet.ends) began_ = now;
  ++queued_;
  input.bytes += packet.bytes();
  input.packets.push_back({std::move(packet), now});
}

inline WaveInputs::Held WaveInputs::pop(Input& input) {
  Held held = std::move(input.packets.front());
  input.packets.pop_front();
  input.bytes -= held.packet.bytes();
  --queued_;
  if (input.packets.empty() && !input.gone) ++waited_for_;
  if (!input.is_process) next_of_back_ends_ = std::max(next_of_back_ends_, held.packet.wave + 1);
  if (held.packet.generation > 0)
    input.ended = std::max(input.ended, held.packet.generation - (held.packet.ends ? 0 : 1));
  return held;
}

}  // namespace eventspace::streams
