#pragma once

#include <cstdint>
#include <vector>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

/// A participant of a simulation, called at the times that it has requested.
class Actor {
 public:
  virtual ~Actor() = default;
  /// The actor defines the meaning of the numbers.
  virtual void happen(std::uint32_t what, std::uint32_t which) = 0;
};

/// The clock and the pending events of a simulation. Events of the same time happen in the order of their
/// requests, so a simulation is deterministic. Not thread-safe.
class Agenda {
 public:
  [[nodiscard]] Picoseconds now() const noexcept { return now_; }
  /// The time `duration` after now. Throws ConfigurationError if it is beyond longest_time.
  [[nodiscard]] Picoseconds after(Picoseconds duration) const;
  /// Requires that `time` is not before now. The actor must live until then.
  void at(Picoseconds time, Actor& actor, std::uint32_t what, std::uint32_t which);
  /// Processes the next event. False if there is none.
  bool step();
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

 private:
  struct Event {
    Picoseconds time;
    std::uint64_t number;
    Actor* actor;
    std::uint32_t what;
    std::uint32_t which;
    [[nodiscard]] bool is_before(const Event& other) const noexcept {
      return time != other.time ? time < other.time : number < other.number;
    }
  };
  std::vector<Event> heap_;  // the earliest first; each has four children
  Picoseconds now_{0};
  std::uint64_t asked_{0};
  std::uint64_t events_{0};
};

}  // namespace eventspace::whatif
