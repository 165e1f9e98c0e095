#include "monitors/probing/groups/value_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace eventspace {
namespace {

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json cell_of(const NumberSpread::Number& number) {
  return std::visit([](auto value) { return Json(value); }, number);
}

}  // namespace

NumberSpread spread_of(const MeasuredValue& value, const std::string& process) {
  NumberSpread spread{value.count, value.missing, value.sum, {}, {}, process, process};
  if (value.real_least) {
    spread.least = *value.real_least;
    spread.greatest = value.real_greatest.value_or(*value.real_least);
  } else {
    spread.least = value.least.value_or(0);
    spread.greatest = value.greatest.value_or(0);
  }
  return spread;
}

void add_value_names(std::vector<std::string>& names, std::size_t count, bool has_processes) {
  for (std::size_t i = 1; i <= count; ++i) {
    for (const char* const name : {"sum", "mean", "least", "greatest", "missing"})
      names.push_back(fmt::format("value{}_{}", i, name));
    if (has_processes)
      for (const char* const name : {"least_at", "greatest_at"})
        names.push_back(fmt::format("value{}_{}", i, name));
  }
}

// A sum of whole numbers beyond 2^53 has more digits than a double; it is shown as a whole number
// nevertheless.
void add_value_cells(std::vector<Json>& row, const NumberSpread& value, bool has_processes) {
  const bool is_any = value.count > 0;
  if (is_any)
    row.insert(row.end(),
               {finite(value.sum), finite(value.mean()), cell_of(value.least), cell_of(value.greatest)});
  else
    row.insert(row.end(), 4, Json());
  row.emplace_back(value.missing);
  if (!has_processes) return;
  row.push_back(is_any ? Json(value.least_at) : Json());
  row.push_back(is_any ? Json(value.greatest_at) : Json());
}

}  // namespace eventspace
