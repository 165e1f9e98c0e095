#include "scopes/metrics/evaluation/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace eventspace::metrics {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Among several problems, the one with the lowest number counts, so that the order of the values does not
/// matter.
Problem first_of(Problem one, Problem other) noexcept {
  if (one == Problem::none || other == Problem::none) return std::max(one, other);
  return std::min(one, other);
}

/// The mean of `count` times whose sum is `sum`, in nanoseconds.
std::int64_t mean_time(const ExactSum& sum, std::uint64_t count) noexcept {
  const auto of = static_cast<double>(count);
  const double high = std::floor(sum.high / of);
  // The remainder after whole nanoseconds is small enough to be exact.
  const double rest = std::fma(-high, of, sum.high) + sum.low;
  return static_cast<std::int64_t>(high) + static_cast<std::int64_t>(std::floor(rest / of));
}

/// Drops numbers of a percentile, many at a time, which costs less than one by one.
void drop_oldest(std::vector<double>& kept) {
  if (kept.size() >= 2 * Tally::max_kept)
    kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(Tally::max_kept));
}

/// The times of a combination of values.
class Times {
 public:
  void add(const Datum& part) noexcept {
    if (part.is_timeless()) return;
    if (timed_++ == 0) {
      first_ns_ = part.time_ns;
      begin_ns_ = part.begin_ns;
      end_ns_ = part.end_ns;
      return;
    }
    sum_ns_ += static_cast<double>(part.time_ns - first_ns_);
    begin_ns_ = std::min(begin_ns_, part.begin_ns);
    end_ns_ = std::max(end_ns_, part.end_ns);
  }
  [[nodiscard]] Datum on(Datum value) const noexcept {
    if (timed_ == 0) return value;
    value.time_ns = first_ns_ + static_cast<std::int64_t>(sum_ns_ / static_cast<double>(timed_));
    value.begin_ns = begin_ns_;
    value.end_ns = end_ns_;
    return value;
  }

 private:
  std::int64_t timed_{0};
  std::int64_t first_ns_{0};
  double sum_ns_{0.0};  // sum of the times less the first
  std::int64_t begin_ns_{0};
  std::int64_t end_ns_{0};
};

}  // namespace

std::string_view to_string(Problem problem) noexcept {
  switch (problem) {
    case Problem::none:
      return "";
    case Problem::divided_by_zero:
      return "division by zero";
    case Problem::too_large:
      return "too large a number";
    case Problem::no_length:
      return "RATE over no time";
    case Problem::unique_none:
      return "UNIQUE of no value";
    case Problem::unique_many:
      return "UNIQUE of different values";
    case Problem::process_gone:
      return "the process is gone";
    case Problem::not_sampled:
      return "not sampled";
    case Problem::no_value:
      return "no value";
  }
  return "?";
}

void Tally::add(const Datum& value) {
  note(value);
  add_number(value.number);
}

void Tally::add(std::span<const Datum> values) {
  for (const Datum& value : values) note(value);
  add_numbers(values);
}

void Tally::add(std::span<const Datum> values, const Tally& other) {
  state_.problem = other.state_.problem;
  state_.count = other.state_.count;
  state_.first = other.state_.first;
  text_ = other.text_;
  if (aggregate_ == Aggregate::unique)
    state_.differ = state_.differ || std::ranges::count(values, text_, &Datum::text) != std::ssize(values);
  state_.begin_ns = other.state_.begin_ns;
  state_.end_ns = other.state_.end_ns;
  state_.timed = other.state_.timed;
  state_.times = other.state_.times;
  add_numbers(values);
}

/// Takes all of a value except its number.
void Tally::note(const Datum& value) {
  State& state = state_;
  state.problem = first_of(state.problem, value.problem);
  if (state.count++ == 0) {
    state.first = value.number;
    text_ = value.text;
  }
  if (aggregate_ == Aggregate::unique && value.text != text_) state.differ = true;
  if (value.is_timeless()) return;
  state.begin_ns = state.timed == 0 ? value.begin_ns : std::min(state.begin_ns, value.begin_ns);
  state.end_ns = state.timed == 0 ? value.end_ns : std::max(state.end_ns, value.end_ns);
  ++state.timed;
  state.times.add(static_cast<double>(value.time_ns));
}

void Tally::add_numbers(std::span<const Datum> values) {
  if (aggregate_ == Aggregate::count) return;
  if (aggregate_ != Aggregate::sum && aggregate_ != Aggregate::mean) {
    for (const Datum& value : values) add_number(value.number);
    return;
  }
  ExactSum sum = state_.sum;
  for (const Datum& value : values) sum.add(value.number);
  state_.sum = sum;
}

/// Only what the aggregate needs, because this runs for each event of a probe.
void Tally::add_number(double number) {
  switch (aggregate_) {
    case Aggregate::deviation:
      state_.squares.add_square(number);
      [[fallthrough]];
    case Aggregate::sum:
    case Aggregate::mean:
      state_.sum.add(number);
      break;
    case Aggregate::product:
      state_.product.multiply(number);
      break;
    case Aggregate::least:
      state_.least = std::min(state_.least, number);
      break;
    case Aggregate::greatest:
      state_.greatest = std::max(state_.greatest, number);
      break;
    case Aggregate::count:
      break;
    case Aggregate::unique:
      state_.differ = state_.differ || number != state_.first;
      break;
    case Aggregate::percentile:
      state_.kept.push_back(number);
      drop_oldest(state_.kept);
      break;
  }
}

void Tally::add(const Tally& other) {
  if (is_empty()) text_ = other.text_;
  if (!is_empty() && !other.is_empty() && aggregate_ == Aggregate::unique && other.text_ != text_)
    state_.differ = true;
  add(other.state_);
}

void Tally::add(const State& other) {
  if (other.count == 0) return;
  State& state = state_;
  state.problem = first_of(state.problem, other.problem);
  if (state.count == 0) state.first = other.first;
  state.differ = state.differ || other.differ || other.first != state.first;
  state.count += other.count;
  state.sum.add(other.sum);
  state.squares.add(other.squares);
  state.product.multiply(other.product);
  state.least = std::min(state.least, other.least);
  state.greatest = std::max(state.greatest, other.greatest);
  state.kept.insert(state.kept.end(), other.newest().begin(), other.newest().end());
  drop_oldest(state.kept);
  if (other.timed == 0) return;
  state.begin_ns = state.timed == 0 ? other.begin_ns : std::min(state.begin_ns, other.begin_ns);
  state.end_ns = state.timed == 0 ? other.end_ns : std::max(state.end_ns, other.end_ns);
  state.timed += other.timed;
  state.times.add(other.times);
}

Datum Tally::result() const {
  Problem problem = state_.problem;
  Datum made = Datum::of(number(problem));
  // Sums, products and squares of differences can overflow.
  if (problem == Problem::none && !std::isfinite(made.number)) problem = Problem::too_large;
  made.problem = problem;
  if (problem != Problem::none) made.number = not_a_number;
  if (aggregate_ == Aggregate::unique) made.text = text_;
  if (state_.timed > 0) {
    made.time_ns = mean_time(state_.times, state_.timed);
    made.begin_ns = state_.begin_ns;
    made.end_ns = state_.end_ns;
  }
  return made;
}

double Tally::number(Problem& problem) const {
  const auto of_some = [&](double value, Problem otherwise) {
    if (state_.count == 0 && problem == Problem::none) problem = otherwise;
    return value;
  };
  switch (aggregate_) {
    case Aggregate::sum:
      return state_.sum.value();
    case Aggregate::product:
      return state_.product.value();
    case Aggregate::least:
      return of_some(state_.least, Problem::no_value);
    case Aggregate::greatest:
      return of_some(state_.greatest, Problem::no_value);
    case Aggregate::mean:
      return of_some(state_.sum.value() / static_cast<double>(state_.count), Problem::no_value);
    case Aggregate::deviation:
      return of_some(deviation(), Problem::no_value);
    case Aggregate::count:
      problem = Problem::none;  // a value that is not a number is counted, too
      return static_cast<double>(state_.count);
    case Aggregate::unique:
      if (state_.differ && problem == Problem::none) problem = Problem::unique_many;
      return of_some(state_.first, Problem::unique_none);
    case Aggregate::percentile:
      return of_some(percentile(), Problem::no_value);
  }
  return not_a_number;
}

/// The variance is the mean of the squares less the square of the mean. Both have twice the digits of a
/// double, so that their difference is precise enough. A deviation below the last digits of the values is
/// taken as 0.
double Tally::deviation() const {
  constexpr double last_digits = 1e-28;  // of a square

  ExactSum variance = state_.sum;
  variance.multiply(state_.sum);
  const double count = static_cast<double>(state_.count);
  ExactSum squares = state_.squares;
  squares.multiply(count);
  squares.add(-variance.high);
  squares.low -= variance.low;
  const double left = squares.value();
  return left <= last_digits * variance.high ? 0.0 : std::sqrt(left) / count;
}

/// The nearest-rank percentile.
double Tally::percentile() const {
  if (state_.kept.empty()) return 0.0;
  std::vector<double> sorted(state_.newest().begin(), state_.newest().end());
  const double rank = std::ceil(percentage_ / 100.0 * static_cast<double>(sorted.size()));
  const auto place = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
  return sorted[static_cast<std::size_t>(place)];
}

Datum with_times(Datum value, std::span<const Datum> parts) noexcept {
  Times times;
  for (const Datum& part : parts) times.add(part);
  return times.on(value);
}

Datum with_times(Datum value, const Datum& one, const Datum& other) noexcept {
  Times times;
  times.add(one);
  times.add(other);
  return times.on(value);
}

}  // namespace eventspace::metrics
