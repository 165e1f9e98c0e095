#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/efficiency/bounded_time.h"
#include "monitors/efficiency/factors.h"

namespace eventspace::efficiency {

/// The time of a unit on an ideal network that belongs to its time from `from_ns` to `to_ns`; empty if it is
/// not known.
using IdealLength =
    std::function<std::optional<double>(std::uint32_t unit, std::int64_t from_ns, std::int64_t to_ns)>;

/// Adds up the useful time of each unit: in the whole run, in each span of equal length, and in each
/// iteration. A unit is useful while it is observed and not in a call of communication.
///
/// The calls and marks of one unit come in the order of their begins; calls may overlap, as in a
/// library that calls itself. All times are in nanoseconds of one clock. Bounds: `max_cells` pairs of a unit
/// and a span or iteration; time beyond is left out and counted. Times are at most `max_time_ns` from 0.
/// Pure. Not thread-safe.
class UnitTimes {
 public:
  static constexpr std::size_t max_units = 65536;
  static constexpr std::size_t max_cells = 1 << 20;

  /// `every`: length of the spans, which begin at `origin_ns`; nullopt means no spans.
  explicit UnitTimes(std::optional<std::chrono::nanoseconds> every = {}, std::int64_t origin_ns = 0)
      : every_ns_(every ? std::min<std::int64_t>(every->count(), max_time_ns) : 0), origin_ns_(origin_ns) {}
  /// Sets the source of ideal lengths of iterations. Call before the first mark.
  void use(IdealLength ideal) { ideal_ = std::move(ideal); }

  /// Ideal lengths are not known after all.
  void forget_ideal();

  /// The unit is observed from this time on. Only the first call counts.
  void begin(std::uint32_t unit, std::int64_t from_ns);
  /// It is observed until this time, unless a later time is known.
  void extend(std::uint32_t unit, std::int64_t to_ns);
  /// It was in a call. The call is cut where the observation of the unit begins.
  void add_call(std::uint32_t unit, std::int64_t begin_ns, std::int64_t end_ns);
  /// The unit ends this iteration; the iteration began at its last mark. Time before the first mark of a unit
  /// is in no iteration.
  void add_mark(std::uint32_t unit, std::int64_t at_ns, std::uint64_t iteration);

  struct Unit {
    std::uint32_t number{0};
    std::int64_t from_ns{0};
    std::int64_t to_ns{0};
    std::int64_t in_calls_ns{0};
    std::uint64_t calls{0};
    [[nodiscard]] std::int64_t length() const noexcept { return to_ns > from_ns ? to_ns - from_ns : 0; }
    [[nodiscard]] std::int64_t useful() const noexcept {
      return length() > in_calls_ns ? length() - in_calls_ns : 0;
    }
  };
  [[nodiscard]] std::vector<Unit> units() const;  ///< by number
  [[nodiscard]] bool has(std::uint32_t unit) const noexcept { return units_.contains(unit); }

  /// The time of a unit in a span or iteration.
  struct Part {
    std::uint32_t unit{0};
    double length{0};
    double useful{0};
    std::optional<double> ideal{};  ///< nullopt if it is not known of all of its time
  };
  struct Cell {
    std::int64_t number{0};  ///< of a span: from 0 at the origin; of an iteration: as given to add_mark()
    std::vector<Part> parts{};
  };
  [[nodiscard]] std::vector<Cell> spans() const;       ///< in order
  [[nodiscard]] std::vector<Cell> iterations() const;  ///< by number
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct State {
    Unit times{};
    std::int64_t busy_until_ns{0};  // calls up to there are counted
    std::optional<std::int64_t> mark_ns{};
    std::int64_t in_calls_since_mark_ns{0};
  };
  using Key = std::pair<std::int64_t, std::uint32_t>;  // cell and unit

  State* state_of(std::uint32_t unit);
  template <class Value>
  Value* cell_of(std::map<Key, Value>& cells, const Key& key);
  void add_to_spans(std::uint32_t unit, std::int64_t begin_ns, std::int64_t end_ns);
  [[nodiscard]] std::int64_t span_of(std::int64_t ns) const noexcept;

  std::int64_t every_ns_;
  std::int64_t origin_ns_;
  IdealLength ideal_;
  std::map<std::uint32_t, State> units_;
  std::map<Key, std::int64_t> in_calls_;  // by span
  std::map<Key, Part> iterations_;
  std::uint64_t left_out_{0};
};

/// The interval that a cell stands for: T is the longest time of a unit in it, T_ideal the longest ideal time
/// if it is known of all units, else anything between max(U) and T. Pure.
IntervalTimes interval_of(const UnitTimes::Cell& cell);

}  // namespace eventspace::efficiency
