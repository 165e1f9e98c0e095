#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/wave_rule.h"
#include "tuplespace/system/deadline.h"

namespace eventspace::streams {

/// When the packets of a stream that go up are passed on.
enum class Synchronise : std::uint8_t {
  wait_for_all,  ///< when each child has sent one
  time_out,      ///< like wait_for_all, but at the latest some time after the first packet of the wave
  do_not_wait,   ///< at once
  rule           ///< as a WaveRule says
};

/// Forms waves from the packets of the children of one process in one stream.
///
/// Packets have numbers, which ascend for each child: the packets with one number form the wave of that
/// number. A child whose next packet has a larger number than the wave is not waited for: its packet was
/// lost, and the wave says so. So a loss never shifts the waves after it.
///
/// Without synchronisation each packet is a wave of its own, which misses what the packet misses.
///
/// A packet whose wave was passed on already, because it came after the time-out, is dropped and counted; the
/// wave had named its end-points as missing.
///
/// Instead of a packet a child may have sent that it has lost the wave (Packet::lost): then it is not waited
/// for, and its end-points are missing. So a wave may have no packets at all.
///
/// With a rule the numbers of packets mean nothing here: the rule chooses, and waves are counted.
///
/// The filters of a stream may be replaced: each replacement begins a generation, from a certain wave on. No
/// wave has packets of two generations, and all waves of one come before those of the next: packets are
/// ordered by generation and number. Packets of back-ends belong to a generation by their number, those of
/// other processes say to which, and these processes also say when a generation has ended for them. Without
/// waves (do_not_wait) a packet of a back-end belongs to the generation that is newest when it is passed on.
///
/// Does no I/O; not thread-safe.
class Synchronisation {
 public:
  using Clock = std::chrono::steady_clock;

  /// `time_out` counts with Synchronise::time_out only.
  Synchronisation(Synchronise how, std::chrono::nanoseconds time_out) : how_(how), time_out_(time_out) {}
  explicit Synchronisation(std::unique_ptr<WaveRule> rule)
      : how_(Synchronise::rule), rule_(std::move(rule)) {}

  /// A child with these end-points takes part from now on. Waves name those of its end-points that are
  /// missing. A child that is known already has these end-points from now on; its packets that wait were made
  /// without the new ones. A new child is not waited for in waves before `from`: it has not got the packets
  /// that they answer. `is_process`: it has children.
  void join(Child child, const RankSet& ranks, std::uint64_t from = 0, bool is_process = false);
  /// The child, which has children, says that these end-points are below it, although they are known below
  /// another one: from now on it names them as missing, or they are in its packets.
  void claim(Child child, const RankSet& ranks);
  /// The child sends nothing more. What it has sent still takes part; its end-points are missing in later
  /// waves until one of them joins again.
  void leave(Child child);
  /// Those of these end-points that have never been below a child here.
  [[nodiscard]] RankSet unknown(const RankSet& ranks) const;
  /// These end-points are not named as missing any more, as they have left the stream.
  void forget(const RankSet& ranks);
  /// These end-points take no part, and waves name them as missing.
  void lose(const RankSet& ranks) { lost_ = lost_ | ranks; }
  /// The number of the next wave, and its generation, for a process that joins a stream under way.
  void begin_at(std::uint64_t wave, std::uint32_t generation = 1);

  /// While it is held, no wave is passed on.
  void hold(bool held) noexcept { is_held_ = held; }
  /// This new generation begins with the wave `first`. `keeps_waves`: waves have the same numbers in all
  /// processes with the filters of this generation.
  void begin_generation(std::uint32_t generation, std::uint64_t first, bool keeps_waves);
  /// Whether the numbers of waves are the same in all processes until a next generation begins.
  void keep_waves(bool keeps_waves) { generations_.rbegin()->second.keeps_waves = keeps_waves; }
  /// The oldest generation, if no wave of it can come any more; once for each. To be called before next().
  [[nodiscard]] std::optional<std::uint32_t> take_end(Clock::time_point now);
  /// The first wave of the newest generation.
  [[nodiscard]] std::uint64_t border() const { return generations_.rbegin()->second.first; }
  /// One more than the largest number of a back-end's packet that was passed on.
  [[nodiscard]] std::uint64_t next_of_back_ends() const noexcept { return next_of_back_ends_; }

  void add(Child child, Packet packet, Clock::time_point now);
  /// The next wave that can be passed on now. Throws what a rule throws, after it has dropped the oldest
  /// packet of each child.
  [[nodiscard]] std::optional<Wave> next(Clock::time_point now);
  /// When next() may have a wave without another packet.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

  [[nodiscard]] std::size_t held(Child child) const;                   ///< packets of the child that wait
  [[nodiscard]] std::size_t held_bytes(Child child) const;             ///< and their bytes
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }  ///< packets dropped as late
  /// The number of the first wave that was not passed on yet.
  [[nodiscard]] std::uint64_t next_wave() const noexcept { return next_.wave; }

 private:
  struct Held {
    Packet packet;
    Clock::time_point came;
  };
  struct Input {
    RankSet ranks;
    RankSet others{};  // below others as far as is known, that it had or claims: if it does not name them as
                       // missing, they are in its packets
    std::deque<Held> packets;
    std::size_t bytes{0};
    std::uint64_t from{0};  // it is waited for from this wave on
    bool gone{false};
    bool is_process{false};
    std::uint32_t ended{0};  // the newest generation that has ended for it
  };
  /// A wave, in the order of all.
  struct Place {
    std::uint32_t generation{1};
    std::uint64_t wave{0};
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Generation {
    std::uint64_t first{0};
    bool keeps_waves{true};
  };
  using Key = std::pair<RankSet::Rank, Child>;  // the child's least rank first: waves are in rank order
  using Inputs = std::map<Key, Input>;

  [[nodiscard]] const Input* find(Child child) const;
  [[nodiscard]] Input* find(Child child) {
    return const_cast<Input*>(std::as_const(*this).find(child));  // NOLINT(*-const-cast)
  }
  [[nodiscard]] bool has_packets() const noexcept { return queued_ > 0; }
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] bool has_waves() const noexcept {
    return how_ == Synchronise::wait_for_all || how_ == Synchronise::time_out;
  }
  [[nodiscard]] std::uint32_t oldest() const { return generations_.begin()->first; }
  [[nodiscard]] std::uint32_t newest() const { return generations_.rbegin()->first; }
  [[nodiscard]] std::uint32_t generation_of(std::uint64_t wave) const;
  [[nodiscard]] Place place_of(const Packet& packet) const;
  [[nodiscard]] bool is_late(const Packet& packet) const;
  [[nodiscard]] std::optional<Place> first_place() const;
  Wave take_first(Place first);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool has_ended_for(const Input& input) const;
  void drop_marks();
  std::optional<Wave> take_any();
  std::optional<Wave> take_by_rule(Clock::time_point now);
  [[nodiscard]] WaveRule::Choice choose(Clock::time_point now);
  void drop(const std::vector<Child>& children);
  Wave take(const std::vector<Child>& children);
  void name_in_held(Input& input, const RankSet& ranks) const;
  [[nodiscard]] static RankSet found_in(const Input& input, const Packet& packet);
  void name_missing(Wave& wave) const;
  Held pop(Input& input);
  void remove_gone();
  void look_when_began();

  Synchronise how_;
  std::chrono::nanoseconds time_out_{0};
  std::unique_ptr<WaveRule> rule_{};
  Inputs inputs_;
  std::map<Child, Inputs::iterator> of_;    // each child's in inputs_
  RankSet lost_;                            // end-points of children that are gone
  std::size_t queued_{0};                   // packets in all inputs
  std::size_t waited_for_{0};               // inputs that are not gone and have no packet
  std::optional<Clock::time_point> began_;  // when the first of the packets came that are there
  Place next_;
  bool is_held_{false};
  std::map<std::uint32_t, Generation> generations_{{1, {}}};  // of which packets may come
  std::uint64_t next_of_back_ends_{0};
  std::uint64_t newest_from_{0};  // the largest Input::from
  std::uint64_t late_{0};
  Clock::time_point asked_{};  // when the rule has chosen last
};

}  // namespace eventspace::streams
