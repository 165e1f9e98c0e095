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

#include <eventspace/deadline.h>
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/filters/wave_rule.h"

namespace eventspace::streams {

/// When the packets of a stream that go up are passed on.
enum class Synchronise : std::uint8_t {
  wait_for_all,  ///< when each child has sent one
  time_out,      ///< like wait_for_all, but no later than some time after the first packet of the wave
  do_not_wait,   ///< at once
  rule           ///< decided by a WaveRule
};

/// Forms waves from the packets of the children of one process in one stream.
///
/// Packets have numbers, which ascend for each child: the packets with one number form the wave of that
/// number. If the next packet of a child has a larger number than the wave, its packet was lost: the wave
/// does not wait for it and names it as missing. So a loss never shifts later waves.
///
/// Without synchronisation each packet is a wave of its own, with the missing end-points of the packet.
///
/// A packet that comes after the time-out, when its wave was already passed on, is dropped and counted; the
/// wave had named its end-points as missing.
///
/// Instead of a packet a child may send that it has lost the wave (Packet::lost). The wave does not wait for
/// it, and its end-points are missing. So a wave may have no packets at all.
///
/// With a rule the numbers of packets are not used: the rule chooses packets, and waves are counted.
///
/// The filters of a stream may be replaced: each replacement begins a generation, from a certain wave on. A
/// wave has packets of one generation only, and all waves of a generation come before those of the next:
/// packets are ordered by generation and number. The generation of a back-end's packet follows from its
/// number. Packets of other processes carry their generation, and these processes also send when a generation
/// has ended for them. Without waves (do_not_wait) a packet of a back-end belongs to the generation that is
/// newest when it is passed on.
///
/// Does no I/O; not thread-safe.
class Synchronisation {
 public:
  using Clock = std::chrono::steady_clock;

  /// `time_out` is used with Synchronise::time_out only.
  Synchronisation(Synchronise how, std::chrono::nanoseconds time_out) : how_(how), time_out_(time_out) {}
  explicit Synchronisation(std::unique_ptr<WaveRule> rule)
      : how_(Synchronise::rule), rule_(std::move(rule)) {}

  /// A child with these end-points takes part from now on; waves name its end-points that are missing. If the
  /// child is already known, its end-points change to these; its queued packets were made without the new
  /// ones. Waves before `from` do not wait for a new child, as it has not received the packets that they
  /// answer. `is_process`: it has children.
  void join(Child child, const RankSet& ranks, std::uint64_t from = 0, bool is_process = false);
  /// The child, which has children, reports that these end-points are below it, although they are known below
  /// another child. From now on they are in its packets, unless it names them as missing.
  void claim(Child child, const RankSet& ranks);
  /// The child sends nothing more. Its queued packets still take part; its end-points are missing in later
  /// waves until they join again.
  void leave(Child child);
  /// Those of these end-points that were never below a child here.
  [[nodiscard]] RankSet unknown(const RankSet& ranks) const;
  /// These end-points are no longer named as missing, as they have left the stream.
  void forget(const RankSet& ranks);
  /// These end-points take no part, and waves name them as missing.
  void lose(const RankSet& ranks) { lost_ = lost_ | ranks; }
  /// Sets the number of the next wave, and its generation, for a process that joins a running stream.
  void begin_at(std::uint64_t wave, std::uint32_t generation = 1);

  /// While it is held, no wave is passed on.
  void hold(bool held) noexcept { is_held_ = held; }
  /// This new generation begins with the wave `first`. `keeps_waves`: with the filters of this generation,
  /// waves have the same numbers in all processes.
  void begin_generation(std::uint32_t generation, std::uint64_t first, bool keeps_waves);
  /// Sets whether the numbers of waves are the same in all processes until the next generation begins.
  void keep_waves(bool keeps_waves) { generations_.rbegin()->second.keeps_waves = keeps_waves; }
  /// The oldest generation, if no wave of it can come any more; reported once for each. To be called before
  /// next().
  [[nodiscard]] std::optional<std::uint32_t> take_end(Clock::time_point now);
  /// The first wave of the newest generation.
  [[nodiscard]] std::uint64_t border() const { return generations_.rbegin()->second.first; }
  /// One more than the largest number of a back-end's packet that was passed on.
  [[nodiscard]] std::uint64_t next_of_back_ends() const noexcept { return next_of_back_ends_; }

  void add(Child child, Packet packet, Clock::time_point now);
  /// The next wave that can be passed on now. If a rule throws, drops the oldest packet of each child and
  /// rethrows.
  [[nodiscard]] std::optional<Wave> next(Clock::time_point now);
  /// When next() may have a wave without another packet.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

  [[nodiscard]] std::size_t held(Child child) const;                   ///< queued packets of the child
  [[nodiscard]] std::size_t held_bytes(Child child) const;             ///< and their bytes
  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }  ///< packets dropped as late
  /// The number of the first wave that was not yet passed on.
  [[nodiscard]] std::uint64_t next_wave() const noexcept { return next_.wave; }

 private:
  struct Held {
    Packet packet;
    Clock::time_point came;
  };
  struct Input {
    RankSet ranks;
    RankSet others{};  // end-points that it had or claims, and that are known below others: they are in its
                       // packets unless it names them as missing
    std::deque<Held> packets;
    std::size_t bytes{0};
    std::uint64_t from{0};  // waves from this one on wait for it
    bool gone{false};
    bool is_process{false};
    std::uint32_t ended{0};  // the newest generation that has ended for it
  };
  /// The position of a wave in the order of all waves.
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
  std::map<Child, Inputs::iterator> of_;    // each child's element of inputs_
  RankSet lost_;                            // end-points of children that are gone
  std::size_t queued_{0};                   // packets in all inputs
  std::size_t waited_for_{0};               // inputs that are not gone and have no packets
  std::optional<Clock::time_point> began_;  // when the first of the queued packets came
  Place next_;
  bool is_held_{false};
  std::map<std::uint32_t, Generation> generations_{{1, {}}};  // that may still have packets
  std::uint64_t next_of_back_ends_{0};
  std::uint64_t newest_from_{0};  // the largest Input::from
  std::uint64_t late_{0};
  Clock::time_point asked_{};  // when the rule was last called
};

}  // namespace eventspace::streams
