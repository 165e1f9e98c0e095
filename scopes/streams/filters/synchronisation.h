#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/stream_filter.h>
#include <eventspace/streams.h>
#include "scopes/streams/filters/wave_generations.h"
#include "scopes/streams/filters/wave_inputs.h"

namespace eventspace::streams {

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
  using Clock = WaveInputs::Clock;

  /// `time_out` is used with Synchronise::time_out only.
  Synchronisation(Synchronise how, std::chrono::nanoseconds time_out)
      : how_(how),
        time_out_(time_out),
        inputs_(how != Synchronise::do_not_wait),
        generations_(how == Synchronise::wait_for_all || how == Synchronise::time_out) {}
  explicit Synchronisation(std::unique_ptr<WaveRule> rule) : Synchronisation(Synchronise::rule, {}) {
    rule_ = std::move(rule);
  }

  /// A child with these end-points takes part from now on; waves name its end-points that are missing. If the
  /// child is already known, its end-points change to these; its queued packets were made without the new
  /// ones. Waves before `from` do not wait for a new child, as it has not received the packets that they
  /// answer. `is_process`: it has children.
  void join(Child child, const RankSet& ranks, std::uint64_t from = 0, bool is_process = false);
  /// The children and their packets that wait.
  [[nodiscard]] WaveInputs& inputs() noexcept { return inputs_; }
  [[nodiscard]] const WaveInputs& inputs() const noexcept { return inputs_; }
  /// Sets the number of the next wave, and its generation, for a process that joins a running stream.
  void begin_at(std::uint64_t wave, std::uint32_t generation = 1);

  /// While it is held, no wave is passed on.
  void hold(bool held) noexcept { is_held_ = held; }
  [[nodiscard]] WaveGenerations& generations() noexcept { return generations_; }
  [[nodiscard]] const WaveGenerations& generations() const noexcept { return generations_; }
  /// The oldest generation, if no wave of it can come any more; reported once for each. To be called before
  /// next().
  [[nodiscard]] std::optional<std::uint32_t> take_end(Clock::time_point now);

  void add(Child child, Packet packet, Clock::time_point now);
  /// The next wave that can be passed on now. If a rule throws, drops the oldest packet of each child and
  /// rethrows.
  [[nodiscard]] std::optional<Wave> next(Clock::time_point now);
  /// When next() may have a wave without another packet.
  [[nodiscard]] std::optional<Clock::time_point> due() const;

  [[nodiscard]] std::uint64_t late() const noexcept { return late_; }  ///< packets dropped as late
  /// The number of the first wave that was not yet passed on.
  [[nodiscard]] std::uint64_t next_wave() const noexcept { return next_.wave; }

 private:
  [[nodiscard]] bool has_packets() const noexcept { return inputs_.queued() > 0; }
  [[nodiscard]] bool has_waves() const noexcept { return generations_.has_waves(); }
  [[nodiscard]] bool is_complete() const;
  [[nodiscard]] bool is_late(const Packet& packet) const;
  [[nodiscard]] std::optional<WavePlace> first_place() const;
  Wave take_first(WavePlace first);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool has_ended_for(const WaveInputs::Input& input) const;
  std::optional<Wave> take_any();
  std::optional<Wave> take_by_rule(Clock::time_point now);
  [[nodiscard]] WaveRule::Choice choose(Clock::time_point now);
  void drop(const std::vector<Child>& children);
  Wave take(const std::vector<Child>& children);

  Synchronise how_;
  std::chrono::nanoseconds time_out_{0};
  std::unique_ptr<WaveRule> rule_{};
  WaveInputs inputs_;
  WaveGenerations generations_;
  WavePlace next_;
  bool is_held_{false};
  std::uint64_t late_{0};
  Clock::time_point asked_{};  // when the rule was last called
};

}  // namespace eventspace::streams
