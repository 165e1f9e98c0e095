#include "monitors/probing/probe_table.h"

#include <algorithm>
#include <array>
#include <functional>

#include "monitors/probing/groups/value_cells.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

/// A function of a process.
struct Row {
  std::int32_t pid;
  const ProbedProcess::Counted* counted;
};

std::vector<Row> rows_of(const std::vector<ProbedProcess>& processes) {
  std::vector<Row> rows;
  for (const ProbedProcess& process : processes)
    for (const ProbedProcess::Counted& function : process.functions())
      if (!function.placed.has_lets_only) rows.push_back({process.pid(), &function});
  std::ranges::stable_sort(rows, std::greater{}, [](const Row& row) { return row.counted->calls; });
  return rows;
}

std::string named(const char* name, Format format) {
  return format == Format::text ? name : std::string(name) + "_ns";
}

Json time(std::uint64_t ns, Format format) {
  if (format != Format::text) return Json(ns);
  return Json(short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(ns))));
}

constexpr std::array times{"total", "own", "mean", "least", "median", "q99", "greatest"};

std::vector<std::string> names_of(const CompiledTask& task, Format format) {
  std::vector<std::string> names{"process", "calls", "calls_per_s"};
  if (!task.is_counting) names.emplace_back("left_out");
  if (task.has_exits) {
    names.emplace_back("measured");
    for (const char* const name : times) names.push_back(named(name, format));
    names.insert(names.end(), {"passed_by", "no_entry", "no_room"});
  }
  add_value_names(names, task.values.size(), false);
  names.insert(names.end(), {"module", "function"});
  return names;
}

void add_times(std::vector<Json>& row, const MeasuredCalls& measured, Format format) {
  row.emplace_back(measured.calls);
  const auto mean = static_cast<std::uint64_t>(measured.mean_ns());
  for (const std::uint64_t ns : {measured.total_ns, measured.own_ns, mean, measured.least_ns,
                                 measured.quantile_ns(0.5), measured.quantile_ns(0.99), measured.greatest_ns})
    row.push_back(time(ns, format));
  for (const std::uint64_t count : {measured.passed_by, measured.no_entry, measured.no_room})
    row.emplace_back(count);
}

}  // namespace

ResultTable probe_table(const std::vector<ProbedProcess>& processes, const CompiledTask& task,
                        std::chrono::nanoseconds watched, Format format) {
  const double seconds = std::max(std::chrono::duration<double>(watched).count(), 1e-9);
  ResultTable table(names_of(task, format));
  for (const auto& [pid, counted] : rows_of(processes)) {
    const double rate = static_cast<double>(counted->calls) / seconds;
    std::vector<Json> row{pid, counted->calls, static_cast<std::uint64_t>(rate)};
    if (!task.is_counting) row.emplace_back(counted->measured.left_out);
    if (task.has_exits) add_times(row, counted->measured, format);
    for (std::size_t i = 0; i < task.values.size(); ++i)
      add_value_cells(row, spread_of(counted->measured.values[i], {}), false);
    row.emplace_back(counted->module);
    row.emplace_back(counted->function);
    table.add(std::move(row));
  }
  return table;
}

ResultTable histogram_table(const std::vector<ProbedProcess>& processes, Format format) {
  const std::vector<std::string> names{
      "process", named("from", format), named("below", format), "calls", "module", "function"};
  ResultTable table(names);
  for (const auto& [pid, counted] : rows_of(processes)) {
    const auto& histogram = counted->measured.histogram;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
      if (histogram[i] == 0) continue;
      const CallTimeRange range = histogram_range(i);
      table.add({pid, time(range.from_ns, format), time(range.below_ns, format), histogram[i],
                 counted->module, counted->function});
    }
  }
  return table;
}

}  // namespace eventspace
