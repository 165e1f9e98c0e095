#include "scopes/metrics/evaluation/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace eventspace::metrics {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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
  if (problem_ == Problem::none) problem_ = value.problem;
  if (count_ == 0) {
    first_ = value;
    least_ = greatest_ = value.number;
  }
  ++count_;
  differ_ = differ_ || value.number != first_.number || value.text != first_.text;
  least_ = std::min(least_, value.number);
  greatest_ = std::max(greatest_, value.number);
  sum_ += value.number;
  product_ *= value.number;
  const double from_mean = value.number - mean_;
  mean_ += from_mean / static_cast<double>(count_);
  squares_ += from_mean * (value.number - mean_);
  if (aggregate_ == Aggregate::percentile) kept_.push_back(value.number);
  if (kept_.size() > most_kept) kept_.pop_front();
  if (value.is_timeless()) return;
  if (timed_ == 0) {
    first_time_ = value.time_ns;
    begin_ns_ = value.begin_ns;
    end_ns_ = value.end_ns;
  }
  ++timed_;
  times_ += static_cast<double>(value.time_ns - first_time_);
  begin_ns_ = std::min(begin_ns_, value.begin_ns);
  end_ns_ = std::max(end_ns_, value.end_ns);
}

Datum Tally::result() const {
  Problem problem = problem_;
  Datum made = Datum::of(number(problem));
  // Sums, products and squares of differences can leave the numbers that there are.
  if (problem == Problem::none && !std::isfinite(made.number)) problem = Problem::too_large;
  made.problem = problem;
  if (problem != Problem::none) made.number = not_a_number;
  if (aggregate_ == Aggregate::unique) made.text = first_.text;
  if (timed_ > 0) {
    made.time_ns = first_time_ + static_cast<std::int64_t>(times_ / static_cast<double>(timed_));
    made.begin_ns = begin_ns_;
    made.end_ns = end_ns_;
  }
  return made;
}

double Tally::number(Problem& problem) const {
  const auto of_some = [&](double value, Problem otherwise) {
    if (count_ == 0 && problem == Problem::none) problem = otherwise;
    return value;
  };
  switch (aggregate_) {
    case Aggregate::sum:
      return sum_;
    case Aggregate::product:
      return product_;
    case Aggregate::least:
      return of_some(least_, Problem::no_value);
    case Aggregate::greatest:
      return of_some(greatest_, Problem::no_value);
    case Aggregate::mean:
      return of_some(mean_, Problem::no_value);
    case Aggregate::deviation:
      return of_some(std::sqrt(squares_ / static_cast<double>(std::max<std::uint64_t>(count_, 1))),
                     Problem::no_value);
    case Aggregate::count:
      problem = Problem::none;  // a value that is no number is counted, too
      return static_cast<double>(count_);
    case Aggregate::unique:
      if (differ_ && problem == Problem::none) problem = Problem::unique_many;
      return of_some(first_.number, Problem::unique_none);
    case Aggregate::percentile:
      return of_some(percentile(), Problem::no_value);
  }
  return not_a_number;
}

/// The nearest-rank percentile.
double Tally::percentile() const {
  if (kept_.empty()) return 0.0;
  std::vector<double> sorted(kept_.begin(), kept_.end());
  const double rank = std::ceil(percentage_ / 100.0 * static_cast<double>(sorted.size()));
  const auto place = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
  return sorted[static_cast<std::size_t>(place)];
}

Datum with_times(Datum value, const Datum* parts, std::size_t count) noexcept {
  double sum = 0.0;
  std::int64_t timed = 0;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Datum& part = parts[i];
    if (part.is_timeless()) continue;
    if (timed++ == 0) {
      first = part.time_ns;
      value.begin_ns = part.begin_ns;
      value.end_ns = part.end_ns;
    }
    sum += static_cast<double>(part.time_ns - first);
    value.begin_ns = std::min(value.begin_ns, part.begin_ns);
    value.end_ns = std::max(value.end_ns, part.end_ns);
  }
  if (timed > 0) value.time_ns = first + static_cast<std::int64_t>(sum / static_cast<double>(timed));
  return value;
}

}  // namespace eventspace::metrics
