#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "scopes/metrics/history/datum.h"
#include "scopes/metrics/history/exact_sum.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

/// The values over which an aggregate ranges, as far as it needs them. It takes them one after the other, and
/// can return the result at any time. For a percentile, it keeps the newest 10 000 values. Not thread-safe.
class Tally {
 public:
  static constexpr std::size_t max_kept = 10'000;

  /// The values taken so far. Plain data: servers send it.
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
    std::vector<double> kept{};  ///< the last `max_kept` count
    std::uint64_t timed{0};
    ExactSum times{};  ///< nanoseconds
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};

    /// The values that are kept for a percentile.
    [[nodiscard]] std::span<const double> newest() const noexcept {
      return std::span(kept).last(std::min(kept.size(), max_kept));
    }
  };

  /// `percentage`: for a percentile.
  explicit Tally(Aggregate aggregate, double percentage = 0.0) noexcept
      : aggregate_(aggregate), percentage_(percentage) {}

  void add(const Datum& value);
  /// Adds several values, in their order.
  void add(std::span<const Datum> values);
  /// The same. `other` has taken all values that this tally has, and already these.
  void add(std::span<const Datum> values, const Tally& other);
  /// Adds the values of another tally of the same aggregate, as if they came after the values of this one.
  void add(const Tally& other);
  /// The same, for numbers.
  void add(const State& other);
  /// The aggregate of the added values. SUM and COUNT of nothing are 0, PROD is 1; the others have no value.
  [[nodiscard]] Datum result() const;
  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] bool is_empty() const noexcept { return state_.count == 0; }

 private:
  void add_number(double number);
  void add_numbers(std::span<const Datum> values);
  void note(const Datum& value);
  [[nodiscard]] double number(Problem& problem) const;
  [[nodiscard]] double deviation() const;
  [[nodiscard]] double percentile() const;

  Aggregate aggregate_;
  double percentage_;
  std::string_view text_;  // the first
  State state_;
};

/// Returns `value` with the times of a combination of `parts`: the mean of their times, and from the first
/// begin to the last end. Parts without a time do not count.
Datum with_times(Datum value, std::span<const Datum> parts) noexcept;
/// The same for two parts.
Datum with_times(Datum value, const Datum& one, const Datum& other) noexcept;

}  // namespace eventspace::metrics
