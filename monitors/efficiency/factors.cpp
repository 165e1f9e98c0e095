#include "monitors/efficiency/factors.h"

#include <algorithm>

namespace eventspace::efficiency {

std::string_view to_string(NoFactors reason) noexcept {
  switch (reason) {
    case NoFactors::no_units:
      return "no thread took part";
    case NoFactors::no_length:
      return "it takes no time";
    case NoFactors::no_useful:
      return "no thread computed in it";
  }
  return "";
}

std::variant<Factors, NoFactors> factors_of(const IntervalTimes& times) {
  if (times.useful.empty()) return NoFactors::no_units;
  if (times.length <= 0) return NoFactors::no_length;
  double most = 0;
  double sum = 0;
  for (const double useful : times.useful) {
    const double counted = std::clamp(useful, 0.0, times.length);
    most = std::max(most, counted);
    sum += counted;
  }
  if (most <= 0) return NoFactors::no_useful;
  const double mean = sum / static_cast<double>(times.useful.size());
  const double least_ideal = std::clamp(times.ideal.least, most, times.length);
  const double most_ideal = std::clamp(times.ideal.most, least_ideal, times.length);
  return Factors{.parallel = mean / times.length,
                 .load_balance = mean / most,
                 .communication = most / times.length,
                 .serialisation = {most / most_ideal, most / least_ideal},
                 .transfer = {least_ideal / times.length, most_ideal / times.length}};
}

}  // namespace eventspace::efficiency
