#include "monitors/probing/measuring/measured_calls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace eventspace {
namespace {

using measuring::MeasureLine;
using measuring::ValueMeasure;

std::int64_t value_of(std::uint64_t ordered) noexcept {
  return static_cast<std::int64_t>(ordered ^ (std::uint64_t{1} << 63));
}

double real_of(std::uint64_t ordered) noexcept {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((ordered & sign) != 0 ? ordered ^ sign : ~ordered);
}

// A thread counts a number before it raises the bounds. Until the bounds of a line are raised for the first
// time they are 0, which stands for no number (NaN): a number that is read in between is reported as missing
// this time.
void add_real(MeasuredValue& to, const ValueMeasure& value) {
  const double least = real_of(~value.least);
  const double greatest = real_of(value.greatest);
  if (std::isnan(least) || std::isnan(greatest)) {
    to.missing += value.count;
    return;
  }
  to.count += value.count;
  to.sum += std::bit_cast<double>(value.sum_low);
  to.real_least = std::min(to.real_least.value_or(least), least);
  to.real_greatest = std::max(to.real_greatest.value_or(greatest), greatest);
}

void add(MeasuredValue& to, const ValueMeasure& value, bool is_real) {
  to.missing += value.missing;
  if (value.count == 0) return;
  if (is_real) return add_real(to, value);
  to.count += value.count;
  __extension__ using Wide = __int128;
  const auto high = static_cast<std::int64_t>(value.sum_high);
  to.sum += static_cast<double>((Wide{high} * (Wide{1} << 64)) + Wide{value.sum_low});
  const std::int64_t least = value_of(~value.least);
  const std::int64_t greatest = value_of(value.greatest);
  to.least = std::min(to.least.value_or(least), least);
  to.greatest = std::max(to.greatest.value_or(greatest), greatest);
}

void add(MeasuredCalls& to, const MeasureLine& line, std::uint32_t real_values) {
  if (line.calls > 0 && line.least_ns != 0)
    to.least_ns = to.calls == 0 ? ~line.least_ns : std::min(to.least_ns, ~line.least_ns);
  to.calls += line.calls;
  to.total_ns += line.total_ns;
  to.own_ns += line.own_ns;
  to.sum_ns += line.sum_ns;
  to.greatest_ns = std::max(to.greatest_ns, line.greatest_ns);
  to.passed_by += line.passed_by;
  to.no_entry += line.no_entry;
  to.no_room += line.no_room;
  to.left_out += line.left_out;
  to.not_raised += line.not_raised;
  to.unrecorded += line.unrecorded;
  for (std::size_t i = 0; i < to.values.size(); ++i)
    add(to.values[i], line.values[i], (real_values >> i & 1) != 0);
  for (std::size_t i = 0; i < to.histogram.size(); ++i) to.histogram[i] += line.histogram[i];
}

}  // namespace

std::uint64_t MeasuredCalls::quantile_ns(double share) const noexcept {
  std::uint64_t all = 0;
  for (const std::uint64_t count : histogram) all += count;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    below += histogram[i];
    if (below > 0 && static_cast<double>(below) >= share * static_cast<double>(all))
      return i + 1 == histogram.size() ? greatest_ns : std::min((std::uint64_t{2} << i) - 1, greatest_ns);
  }
  return greatest_ns;
}

CallTimeRange histogram_range(std::size_t bucket) noexcept {
  constexpr std::size_t last = measuring::histogram_buckets - 1;
  return {bucket == 0 ? 0 : std::uint64_t{1} << bucket,
          bucket == last ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t{2} << bucket};
}

MeasuredCalls measured_in(Bytes bytes, std::uint32_t real_values) {
  MeasuredCalls measured;
  for (std::size_t at = 0; at + sizeof(MeasureLine) <= bytes.size(); at += sizeof(MeasureLine)) {
    MeasureLine line;
    std::memcpy(&line, bytes.data() + at, sizeof line);
    add(measured, line, real_values);
  }
  return measured;
}

}  // namespace eventspace
