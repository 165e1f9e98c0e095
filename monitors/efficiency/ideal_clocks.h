#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "monitors/efficiency/factors.h"

namespace eventspace::efficiency {

/// Bounds of the time that a program would take on an ideal network, from its calls as they come, without its
/// whole program. Each unit has two clocks, which are bounds of when it would reach its present point:
///
/// - `least` advances by the unit's useful time. After a collective operation, it is at least the `least` of
///   each unit that the operation certainly waits for.
/// - `most` advances by the useful time too. After a collective operation, it is the greatest `most` of all
///   members. After a call that may have waited for an unknown reason, it is the recorded time.
///
/// Nothing happens later on an ideal network than it did, so `most` never exceeds the recorded time; it is
/// sound wherever observation begins, and with records missing. `least` is sound if all calls are given, and
/// no unit begins late because of communication: a unit begins when it did, and time without records counts
/// as useful. The bounds meet if all waits are those of collective operations of all units.
///
/// A second call of a unit in one operation, and one in an operation that is complete, is taken for a call
/// that waits for an unknown reason: no program makes it, but a damaged recording may have it.
///
/// Calls of one unit come in the order of their begins. A unit whose operation lacks members is kept, with
/// its later calls, until they have come, or until the operation is given up. Bounds: `Limits`. Pure. Not
/// thread-safe.
class IdealClocks {
 public:
  struct Limits {
    std::size_t kept{1 << 18};  ///< calls of all units; beyond it, the earliest operation is given up
  };
  IdealClocks() : IdealClocks(Limits{}) {}
  explicit IdealClocks(const Limits& limits) : limits_(limits) {}

  /// One collective operation: the `number`-th of a channel.
  struct Operation {
    std::uint64_t channel{0};
    std::uint64_t number{0};
    friend auto operator<=>(const Operation&, const Operation&) = default;  // NOLINT(modernize-use-nullptr)
  };
  enum class Waits : std::uint8_t {
    never,    ///< on an ideal network the call returns at once
    unknown,  ///< it may wait for others that are not known
    for_all,  ///< until all members of the operation have come
    some      ///< for some of the members; others leave at once
  };
  struct Call {
    std::uint32_t unit{0};
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
    Waits waits{Waits::never};
    Operation operation{};   ///< of `for_all` and `some`
    std::size_t members{0};  ///< of the operation
  };

  /// The unit is observed from this time on. Only the first call counts.
  void begin(std::uint32_t unit, std::int64_t from_ns);
  /// A call of a unit that was begun; others are left out.
  void add(const Call& call);
  /// Gives up operations that ended before `before_ns` and lack members: their records are missing.
  void give_up(std::int64_t before_ns);
  /// To be called after the last call: gives up all, and ends each unit at `to_ns`, by unit.
  void finish(const std::map<std::uint32_t, std::int64_t>& to_ns);

  /// T_ideal in nanoseconds. REQUIRES: finish().
  [[nodiscard]] Range ideal() const;
  /// Waits in collective operations that remain on an ideal network, in nanoseconds, at least: with other
  /// members, and by the unit that came last.
  struct Waited {
    double waited{0};
    double caused{0};
  };
  [[nodiscard]] const std::map<std::uint32_t, Waited>& waits() const noexcept { return waits_; }
  [[nodiscard]] std::uint64_t unknown_waits() const noexcept { return unknown_; }
  [[nodiscard]] std::uint64_t given_up() const noexcept { return given_up_; }

 private:
  struct Unit {
    std::int64_t from_ns{0};
    std::int64_t at_ns{0};  // the time up to which it is known
    double least{0};
    double most{0};
    bool has_come{false};  // to the operation of its first kept call
    std::deque<Call> kept{};
  };
  using Arrivals = std::map<std::uint32_t, double>;  // the `least` of each unit that has come

  void run(std::uint32_t first);
  bool advance(std::uint32_t number, Unit& unit, std::vector<std::uint32_t>& woken);
  bool come(std::uint32_t number, Unit& unit, const Call& call, std::vector<std::uint32_t>& woken);
  void leave(Unit& unit, const Call& call);
  void leave_operation(Unit& unit, const Call& call, double recorded);
  static void pass(Unit& unit, std::int64_t until_ns);
  void count_waits(const Arrivals& arrivals);
  bool give_up_first(std::int64_t before_ns);

  Limits limits_;
  std::map<std::uint32_t, Unit> units_;
  struct Meeting {
    Arrivals arrivals{};
    double least{0};  // the greatest of the arrivals
    double most{0};
    std::size_t members{0};
    std::size_t left{0};
    bool is_complete{false};
  };
  std::map<Operation, Meeting> meetings_;
  std::map<std::uint32_t, Waited> waits_;
  std::size_t kept_{0};
  std::uint64_t unknown_{0};
  std::uint64_t given_up_{0};
};

}  // namespace eventspace::efficiency
