#include "monitors/whatif/asking/trace_tables.h"

#include <cmath>
#include <utility>

namespace eventspace::whatif {
namespace {

double table_seconds(Picoseconds time) { return std::round(static_cast<double>(time) / 1e3) / 1e9; }

ResultTable table_of(std::vector<std::string> columns, const std::vector<std::string>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return ResultTable(columns);
}

void add_row(ResultTable& table, std::vector<Json> row, std::vector<Json> more) {
  for (Json& cell : more) row.push_back(std::move(cell));
  table.add(std::move(row));
}

double percent(Picoseconds part, Picoseconds of) {
  return of == 0 ? 0 : std::round(static_cast<double>(part) / static_cast<double>(of) * 1e4) / 100;
}

}  // namespace

ResultTable path_table(const Program& program, const std::vector<Answer>& answers,
                       const std::vector<std::string>& columns, const std::vector<std::vector<Json>>& heads) {
  ResultTable table = table_of(columns, {"part", "task", "to", "time_s", "percent", "messages"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Outcome& outcome = answers[i].outcome;
    std::vector<Picoseconds> ends;
    for (const TaskOutcome& task : outcome.tasks) ends.push_back(task.execution);
    const CriticalPath path = critical_path(*outcome.trace, ends);
    for (std::uint32_t task = 0; task < path.tasks.size(); ++task) {
      const Picoseconds time = path.tasks[task];
      if (time > 0)
        add_row(table, heads[i],
                {"task", program.short_name_of(task), Json(), table_seconds(time),
                 percent(time, outcome.execution), Json()});
    }
    for (const CriticalPath::Link& link : path.links)
      add_row(table, heads[i],
              {"link", program.short_name_of(link.from), program.short_name_of(link.to),
               table_seconds(link.time), percent(link.time, outcome.execution), link.messages});
  }
  return table;
}

ResultTable flow_table(const Program& program, const std::vector<Answer>& answers,
                       const std::vector<std::string>& columns, const std::vector<std::vector<Json>>& heads) {
  ResultTable table = table_of(columns, {"from", "to", "messages", "bytes"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (const auto& [ends, flow] : answers[i].outcome.trace->flows)
      add_row(
          table, heads[i],
          {program.short_name_of(ends.first), program.short_name_of(ends.second), flow.messages, flow.bytes});
  }
  return table;
}

ResultTable course_table(const std::vector<Answer>& answers, const std::vector<std::string>& columns,
                         const std::vector<std::vector<Json>>& heads) {
  ResultTable table = table_of(columns, {"from_s", "to_s", "messages", "bytes"});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const SimulationTrace::Course& course = answers[i].outcome.trace->course;
    for (std::size_t span = 0; span < course.spans().size(); ++span) {
      const auto begin = static_cast<Picoseconds>(span) * course.span();
      const SimulationTrace::Flow& flow = course.spans()[span];
      add_row(table, heads[i],
              {table_seconds(begin), table_seconds(begin + course.span()), flow.messages, flow.bytes});
    }
  }
  return table;
}

}  // namespace eventspace::whatif
