#include "scopes/metrics/evaluation/metric_value.h"

#include <cmath>

namespace eventspace::metrics {

std::optional<double> number_of(const Datum& datum, const DisplayUnit& unit) {
  const double number = datum.number / unit.scale;
  return datum.is_good() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string_view problem_of(const Datum& datum, const DisplayUnit& unit) {
  if (datum.state == Datum::State::later) return "not yet";
  if (!datum.is_present()) return "no value";
  if (datum.problem != Problem::none) return to_string(datum.problem);
  return number_of(datum, unit) ? "" : to_string(Problem::too_large);
}

}  // namespace eventspace::metrics
