#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string_view>

#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/evaluation/exact_sum.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

/// The values over which an aggregate ranges, as far as it needs them: it takes them one after the other, and
/// yields the result at any time. Of a percentile, it keeps the newest 10 000 values. Not thread-safe.
class Tally {
 public:
  static constexpr std::size_t most_kept = 10'000;

  /// What it has taken. Plain data: servers send it.
  struct State {
    std::uint64_t count{0};
    ExactSum sum{};
    ExactSum squares{};
    ExactSum product{1.0, 0.0};
    double least{std::numeric_limits<double>::infinity()};
    double greatest{-std::numeric_limits<double>::infinity()};
    double first{0.0};
    bool differ{false};
    Problem problem{Problem::none};
    std::deque<double> kept{};
    std::uint64_t timed{0};
    ExactSum times{};  ///< nanoseconds
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
  };

  /// `percentage`: of a percentile.
  explicit Tally(Aggregate aggregate, double percentage = 0.0) noexcept
      : aggregate_(aggregate), percentage_(percentage) {}

  void add(const Datum& value);
  /// Adds what another tally of the same aggregate took, as if it came after what this one has.
  void add(const Tally& other);
  /// The same, of numbers.
  void add(const State& other);
  /// The aggregate of what was added. SUM and COUNT of nothing are 0, PROD is 1; the others have no value.
  [[nodiscard]] Datum result() const;
  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] bool is_empty() const noexcept { return state_.count == 0; }

 private:
  void add_number(double number);
  [[nodiscard]] double number(Problem& problem) const;
  [[nodiscard]] double deviation() const;
  [[nodiscard]] double percentile() const;

  Aggregate aggregate_;
  double percentage_;
  std::string_view text_;  // the first
  State state_;
};

/// Returns `value` with the times of a combination of `parts`: the mean of theirs, and from the first begin
/// to the last end. Parts without a time do not count.
Datum with_times(Datum value, const Datum* parts, std::size_t count) noexcept;

}  // namespace eventspace::metrics
