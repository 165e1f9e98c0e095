#include "monitors/probing/nodes/spread_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitors/probing/groups/value_cells.h"

namespace eventspace {
namespace {

std::string unit_in(Format format) { return format == Format::text ? "" : "_ns"; }

void add_names(std::vector<std::string>& names, const std::string& of, const std::string& unit) {
  for (const char* const which : {"mean", "least", "greatest"})
    names.push_back(fmt::format("{}_{}{}", of, which, unit));
  names.push_back(of + "_least_at");
  names.push_back(of + "_greatest_at");
}

std::vector<std::string> names_for(const CompiledTask& task, Format format) {
  std::vector<std::string> names{"processes", "calls", "calls_per_s"};
  if (!task.is_counting) names.emplace_back("left_out");
  add_names(names, "calls", "");
  if (task.has_exits) {
    add_names(names, "total", unit_in(format));
    names.emplace_back("imbalance");
  }
  add_value_names(names, task.values.size(), true);
  names.insert(names.end(), {"module", "function"});
  return names;
}

void add_times(std::vector<Json>& row, const Spread& total, Format format) {
  row.insert(row.end(),
             {time_cell(static_cast<std::uint64_t>(total.mean()), format), time_cell(total.least, format),
              time_cell(total.greatest, format), total.least_at, total.greatest_at, total.imbalance()});
}

void sort_by_calls(std::vector<FunctionSpread>& functions) {
  std::ranges::stable_sort(functions, std::greater{},
                           [](const FunctionSpread& one) { return one.calls.sum; });
}

}  // namespace

ResultTable spread_table(std::vector<FunctionSpread> functions, std::chrono::nanoseconds watched,
                         const CompiledTask& task, Format format) {
  const double seconds = std::max(std::chrono::duration<double>(watched).count(), 1e-9);
  ResultTable table(names_for(task, format));
  sort_by_calls(functions);
  for (FunctionSpread& one : functions) {
    const Spread& calls = one.calls;
    const double rate = static_cast<double>(calls.sum) / seconds;
    std::vector<Json> row{calls.count, calls.sum, static_cast<std::uint64_t>(rate)};
    if (!task.is_counting) row.emplace_back(one.left_out);
    row.insert(row.end(), {static_cast<std::uint64_t>(calls.mean()), calls.least, calls.greatest,
                           calls.least_at, calls.greatest_at});
    if (task.has_exits) add_times(row, one.total_ns, format);
    one.values.resize(task.values.size());
    for (const NumberSpread& value : one.values) add_value_cells(row, value, true);
    row.emplace_back(one.module);
    row.emplace_back(one.function);
    table.add(std::move(row));
  }
  return table;
}

ResultTable spread_histogram_table(std::vector<FunctionSpread> functions, Format format) {
  std::vector<std::string> columns{
      "processes", "from" + unit_in(format), "below" + unit_in(format), "calls", "module", "function"};
  ResultTable table(std::move(columns));
  sort_by_calls(functions);
  for (const FunctionSpread& one : functions)
    for (std::size_t i = 0; i < one.histogram.size(); ++i) {
      if (one.histogram[i] == 0) continue;
      const CallTimeRange range = histogram_range(i);
      table.add({one.calls.count, time_cell(range.from_ns, format), time_cell(range.below_ns, format),
                 one.histogram[i], one.module, one.function});
    }
  return table;
}

}  // namespace eventspace
