#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace eventspace::metrics {

/// Why a value is not a number.
enum class Problem : std::uint8_t {
  none,
  divided_by_zero,
  too_large,     ///< beyond the range of a double
  no_length,     ///< RATE over an interval of length 0
  unique_none,   ///< UNIQUE of no value
  unique_many,   ///< UNIQUE of different values
  process_gone,  ///< a sample of a process that has ended
  not_sampled,   ///< a sample of a process that no server reads, such as a process in a recording
  no_value       ///< MIN, MAX, MEAN, STDEV or PERCENTILE of no value
};
std::string_view to_string(Problem problem) noexcept;

/// The value of an expression of a metric, with the time at which it was taken (a result token of
/// grid-distributed-evaluation, section 6.8.1). Times are nanoseconds of the clock of the observer's machine.
/// Plain data.
struct Datum {
  enum class State : std::uint8_t {
    absent,  ///< it does not exist and never will
    before,  ///< it does not exist because it needs the value before the first one, such as the last
             ///< iteration
    unseen,  ///< like `before`, and the first one was before the measurement began
    missed,  ///< it exists, but the measurement has missed some of its inputs
    later,   ///< the probe that makes it has not been passed yet
    present
  };

  State state{State::absent};
  Problem problem{Problem::none};
  double number{0.0};  ///< a truth is 0 or 1, an object its number, a point of time nanoseconds
  std::string_view text{};
  std::int64_t time_ns{0};   ///< the mean of the times of its inputs
  std::int64_t begin_ns{0};  ///< the time over which it was taken, for RATE
  std::int64_t end_ns{0};

  [[nodiscard]] bool is_present() const noexcept { return state == State::present; }
  /// Whether it is present and not an error.
  [[nodiscard]] bool is_good() const noexcept { return is_present() && problem == Problem::none; }
  [[nodiscard]] bool is_true() const noexcept { return is_good() && number != 0.0; }
  /// A value without a time of its own, such as a constant.
  [[nodiscard]] bool is_timeless() const noexcept { return time_ns == 0; }
  /// Whether only some of its inputs were seen. Such a value is left out and counted.
  [[nodiscard]] bool is_partial() const noexcept {
    return (state == State::absent || state == State::missed) && !is_timeless();
  }

  /// No value.
  static Datum without(State state) {
    Datum made;
    made.state = state;
    return made;
  }
  /// The same, but some of its inputs were seen at this time; 0 means that none were.
  static Datum partial(State state, std::int64_t time_ns) {
    Datum made = without(state);
    made.time_ns = made.begin_ns = made.end_ns = time_ns;
    return made;
  }
  static Datum of(double number) {
    Datum made;
    made.state = State::present;
    made.number = number;
    return made;
  }
  /// An error.
  static Datum wrong(Problem problem) {
    Datum made = of(std::numeric_limits<double>::quiet_NaN());
    made.problem = problem;
    return made;
  }
  static Datum at(double number, std::int64_t begin_ns, std::int64_t end_ns) {
    Datum made = of(number);
    made.time_ns = end_ns;
    made.begin_ns = begin_ns;
    made.end_ns = end_ns;
    return made;
  }
};

}  // namespace eventspace::metrics
