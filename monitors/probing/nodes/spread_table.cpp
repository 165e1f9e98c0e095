#include "monitors/probing/nodes/spread_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

Json time_json(double ns, Format format) {
  if (format != Format::text) return Json(static_cast<std::uint64_t>(ns));
  return Json(duration_of_ns(ns));
}

void add_names(std::vector<std::string>& names, const std::string& of, const std::string& unit) {
  for (const char* const which : {"mean", "least", "greatest"})
    names.push_back(fmt::format("{}_{}{}", of, which, unit));
  names.push_back(of + "_least_at");
  names.push_back(of + "_greatest_at");
}

}  // namespace

ResultTable spread_table(std::vector<FunctionSpread> functions, std::chrono::nanoseconds watched,
                         const CompiledTask& task, Format format) {
  const double seconds = std::max(std::chrono::duration<double>(watched).count(), 1e-9);
  std::vector<std::string> names{"processes", "calls", "calls_per_s"};
  if (!task.is_counting) names.emplace_back("left_out");
  add_names(names, "calls", "");
  if (task.has_exits) {
    add_names(names, "total", format == Format::text ? "" : "_ns");
    names.emplace_back("imbalance");
  }
  names.insert(names.end(), {"module", "function"});
  ResultTable table(names);
  std::ranges::stable_sort(functions, std::greater{},
                           [](const FunctionSpread& one) { return one.calls.sum; });
  for (const FunctionSpread& one : functions) {
    const Spread& calls = one.calls;
    const double rate = static_cast<double>(calls.sum) / seconds;
    std::vector<Json> row{calls.count, calls.sum, static_cast<std::uint64_t>(rate)};
    if (!task.is_counting) row.emplace_back(one.left_out);
    row.insert(row.end(), {static_cast<std::uint64_t>(calls.mean()), calls.least, calls.greatest,
                           calls.least_at, calls.greatest_at});
    if (task.has_exits) {
      const Spread& total = one.total_ns;
      row.insert(row.end(),
                 {time_json(total.mean(), format), time_json(static_cast<double>(total.least), format),
                  time_json(static_cast<double>(total.greatest), format), total.least_at, total.greatest_at,
                  total.imbalance()});
    }
    row.emplace_back(one.module);
    row.emplace_back(one.function);
    table.add(std::move(row));
  }
  return table;
}

}  // namespace eventspace
