#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "scopes/metrics/evaluation/datum.h"
#include "scopes/metrics/language/syntax.h"

namespace eventspace::metrics {

/// The values over which an aggregate ranges, as far as it needs them: it takes them one after the other, and
/// yields the result at any time. Of a percentile, it keeps the newest 10 000 values. Not thread-safe.
class Tally {
 public:
  static constexpr std::size_t most_kept = 10'000;

  /// `percentage`: of a percentile.
  explicit Tally(Aggregate aggregate, double percentage = 0.0) noexcept
      : aggregate_(aggregate), percentage_(percentage) {}

  void add(const Datum& value);
  /// The aggregate of what was added. SUM and COUNT of nothing are 0, PROD is 1; the others have no value.
  [[nodiscard]] Datum result() const;

 private:
  [[nodiscard]] double number(Problem& problem) const;
  [[nodiscard]] double percentile() const;

  Aggregate aggregate_;
  double percentage_;
  std::uint64_t count_{0};
  double sum_{0.0};
  double product_{1.0};
  double mean_{0.0};
  double squares_{0.0};  // sum of the squares of the differences from the mean (Welford)
  double least_{0.0};
  double greatest_{0.0};
  bool differ_{false};
  Datum first_;
  Problem problem_{Problem::none};
  std::deque<double> kept_;
  double times_{0.0};  // sum of the times, less the first
  std::uint64_t timed_{0};
  std::int64_t first_time_{0};
  std::int64_t begin_ns_{0};
  std::int64_t end_ns_{0};
};

/// Returns `value` with the times of a combination of `parts`: the mean of theirs, and from the first begin
/// to the last end. Parts without a time do not count.
Datum with_times(Datum value, const Datum* parts, std::size_t count) noexcept;

}  // namespace eventspace::metrics
