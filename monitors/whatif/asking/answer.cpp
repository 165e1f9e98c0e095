#include "monitors/whatif/asking/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "monitors/cli/result_table.h"
#include "monitors/text/text_format.h"
#include "monitors/whatif/asking/trace_tables.h"
#include "monitors/whatif/asking/working_tasks.h"

namespace eventspace::whatif {
namespace {

double seconds(Picoseconds time) {
  return std::round(static_cast<double>(time) / 1e3) / 1e9;  // to the nanosecond
}

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

/// The numbers of a row of the table of tasks; the row of the mean has fractions.
struct TaskRow {
  std::string task;
  std::vector<double> times;   // seconds, in the order of the columns
  std::vector<double> counts;  // messages, bytes, collisions
};

TaskRow row_of(const Program& program, std::uint32_t task, const TaskOutcome& of) {
  return {program.short_name_of(task),
          {seconds(of.execution), seconds(of.blocked()), seconds(of.service), seconds(of.algorithmic),
           seconds(of.network.on_network), seconds(of.compute), seconds(of.overhead),
           seconds(of.network.in_stack)},
          {static_cast<double>(of.messages), static_cast<double>(of.bytes),
           static_cast<double>(of.network.collisions)}};
}

TaskRow mean_of(const Program& program, const Outcome& outcome) {
  TaskRow mean{"", std::vector<double>(8), std::vector<double>(3)};
  const auto tasks = working_tasks(outcome);
  for (const std::uint32_t task : tasks) {
    const TaskRow row = row_of(program, task, outcome.tasks[task]);
    for (std::size_t i = 0; i < row.times.size(); ++i) mean.times[i] += row.times[i];
    for (std::size_t i = 0; i < row.counts.size(); ++i) mean.counts[i] += row.counts[i];
  }
  const auto working = static_cast<double>(tasks.size());
  for (double& time : mean.times) time = rounded(time / working, 1e9);
  for (double& count : mean.counts) count = rounded(count / working, 10);
  mean.task = fmt::format("mean of {}", working);
  return mean;
}

std::vector<Json> scenario_of(const Answer& answer) {
  return {answer.is_baseline ? "baseline" : "answer", answer.network.name, answer.compute, answer.overhead};
}

// Error of the baseline, if the recorded time is known.
std::optional<double> error_percent(const Program& program, const Answer& answer) {
  if (!answer.is_baseline || !program.recorded || *program.recorded <= 0) return std::nullopt;
  return 100 * (seconds(answer.outcome.execution) / seconds(*program.recorded) - 1);
}

std::optional<bool> is_reliable(const Program& program, const std::vector<Answer>& answers) {
  const auto error = answers.empty() ? std::nullopt : error_percent(program, answers.front());
  return error ? std::optional(std::abs(*error) <= max_error_percent) : std::nullopt;
}

ResultTable summary_of(const Program& program, const std::vector<Answer>& answers) {
  ResultTable table({"row", "network", "compute", "overhead", "predicted_s", "recorded_s", "error_percent",
                     "speedup", "collisions", "events", "stopped", "simulator", "reliable"});
  const auto reliable = is_reliable(program, answers);
  for (const Answer& answer : answers) {
    std::vector<Json> row = scenario_of(answer);
    const double predicted = seconds(answer.outcome.execution);
    row.emplace_back(predicted);
    const double recorded = program.recorded ? seconds(*program.recorded) : 0;
    row.push_back(program.recorded ? Json(recorded) : Json());
    const auto error = error_percent(program, answer);
    row.push_back(error ? Json(rounded(*error, 100)) : Json());
    const double baseline = answers.front().is_baseline ? seconds(answers.front().outcome.execution) : 0;
    row.push_back(baseline > 0 && predicted > 0 ? Json(rounded(baseline / predicted, 1000)) : Json());
    row.emplace_back(answer.outcome.collisions);
    row.emplace_back(answer.outcome.events);
    row.emplace_back(answer.outcome.stopped);
    row.emplace_back(answer.simulator);
    row.push_back(reliable ? Json(*reliable) : Json());
    table.add(std::move(row));
  }
  return table;
}

void add(ResultTable& table, const Answer& answer, const TaskRow& of, bool is_text) {
  std::vector<Json> row = is_text ? std::vector<Json>{} : scenario_of(answer);
  row.emplace_back(of.task);
  for (const double time : of.times) row.push_back(is_text ? Json(fmt::format("{:.6f}", time)) : Json(time));
  for (const double count : of.counts)
    row.push_back(is_text ? Json(fmt::format("{:.10g}", count)) : Json(count));
  table.add(std::move(row));
}

// For text; JSON and CSV have names with units.
std::vector<std::string> text_columns() {
  return {"task",      "execution", "blocked", "service",  "algorithmic", "network",
          "computing", "overhead",  "tcp",     "messages", "bytes",       "collisions"};
}

void print_tasks(std::ostream& out, Format format, const Program& program,
                 const std::vector<Answer>& answers) {
  if (format == Format::text) {
    for (const Answer& answer : answers) {
      ResultTable table(text_columns());
      for (std::uint32_t task = 0; task < answer.outcome.tasks.size(); ++task)
        add(table, answer, row_of(program, task, answer.outcome.tasks[task]), true);
      add(table, answer, mean_of(program, answer.outcome), true);
      out << fmt::format("\n{}: {} (computing x{:g}, library x{:g}), seconds\n",
                         answer.is_baseline ? "baseline" : "answer", answer.network.name, answer.compute,
                         answer.overhead);
      table.print(out, format);
    }
    return;
  }
  ResultTable table({"row", "network", "compute", "overhead", "task", "execution_s", "blocked_s", "service_s",
                     "algorithmic_s", "network_s", "computing_s", "library_s", "tcp_s", "messages", "bytes",
                     "collisions"});
  for (const Answer& answer : answers) {
    for (std::uint32_t task = 0; task < answer.outcome.tasks.size(); ++task)
      add(table, answer, row_of(program, task, answer.outcome.tasks[task]), false);
  }
  table.print(out, format);
}

void print_functions(std::ostream& out, Format format, const Program& program,
                     const std::vector<Answer>& answers) {
  ResultTable table({"row", "network", "compute", "overhead", "task", "function", "calls", "time_s",
                     "blocked_s", "recorded_s", "recorded_blocked_s"});
  for (const Answer& answer : answers) {
    for (std::uint32_t task = 0; task < answer.outcome.tasks.size(); ++task) {
      const auto& functions = answer.outcome.tasks[task].functions;
      for (std::size_t i = 1; i < functions.size(); ++i) {
        if (functions[i].calls == 0) continue;
        std::vector<Json> row = scenario_of(answer);
        row.emplace_back(program.short_name_of(task));
        row.emplace_back(program.functions[i]);
        row.emplace_back(functions[i].calls);
        row.emplace_back(seconds(functions[i].time));
        row.emplace_back(seconds(functions[i].blocked));
        const bool is_recorded = !program.recorded_calls.empty();
        const RecordedShare share = is_recorded ? program.recorded_calls[task][i] : RecordedShare{};
        row.push_back(is_recorded ? Json(seconds(share.time)) : Json());
        row.push_back(is_recorded ? Json(seconds(share.blocked())) : Json());
        table.add(std::move(row));
      }
    }
  }
  if (table.is_empty() && format == Format::text) return;
  if (format == Format::text) out << '\n';
  table.print(out, format);
}

void print_summary_text(std::ostream& out, const Program& program, const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    const double predicted = seconds(answer.outcome.execution);
    std::string line = fmt::format("{}: {}: {:.6g} s", answer.is_baseline ? "baseline" : "answer",
                                   answer.network.name, predicted);
    if (answer.compute != 1 || answer.overhead != 1)
      line = fmt::format("answer: {}, computing x{:g}, library x{:g}: {:.6g} s", answer.network.name,
                         answer.compute, answer.overhead, predicted);
    const double baseline = answers.front().is_baseline ? seconds(answers.front().outcome.execution) : 0;
    if (const auto error = error_percent(program, answer)) {
      line +=
          fmt::format(" predicted, {:.6g} s recorded: error {:+.1f} %", seconds(*program.recorded), *error);
    } else if (!answer.is_baseline && baseline > 0 && predicted > 0) {
      line += fmt::format(", {:.3g} times the baseline", predicted / baseline);
    }
    out << line << "\n  " << describe(answer.network);
    if (std::holds_alternative<SwitchedNetwork>(answer.network.kind)) out << " (" << answer.simulator << ')';
    out << '\n';
  }
}

void print_trace(std::ostream& out, Format format, AnswerTable table, const Program& program,
                 const std::vector<Answer>& answers) {
  const std::vector<std::string> columns{"row", "network", "compute", "overhead"};
  std::vector<std::vector<Json>> heads;
  heads.reserve(answers.size());
  for (const Answer& answer : answers) heads.push_back(scenario_of(answer));
  if (table == AnswerTable::path) return path_table(program, answers, columns, heads).print(out, format);
  if (table == AnswerTable::flows) return flow_table(program, answers, columns, heads).print(out, format);
  course_table(answers, columns, heads).print(out, format);
}

}  // namespace

void print_answers(std::ostream& out, Format format, AnswerTable table, const Program& program,
                   const std::vector<Answer>& answers) {
  if (needs_trace(table)) return print_trace(out, format, table, program, answers);
  const auto is_wanted = [&](AnswerTable one) {
    if (table != AnswerTable::all) return table == one;
    if (one == AnswerTable::functions) return false;
    return format != Format::csv || one == AnswerTable::tasks;
  };
  if (is_wanted(AnswerTable::summary)) {
    if (format == Format::text) {
      print_summary_text(out, program, answers);
    } else {
      summary_of(program, answers).print(out, format);
    }
  }
  if (is_wanted(AnswerTable::tasks)) print_tasks(out, format, program, answers);
  if (is_wanted(AnswerTable::functions)) print_functions(out, format, program, answers);
}

std::string warning_of(const Program& program, const std::vector<Answer>& answers) {
  if (is_reliable(program, answers).value_or(true)) return {};
  return fmt::format(
      "the baseline is {:+.1f} % off the recorded run, which is more than {:g} %: do not trust the other "
      "answers either; record again on a machine without other work, with no more tasks than processors",
      *error_percent(program, answers.front()), max_error_percent);
}

std::string limits_of(const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < mark_words.size(); ++i) {
    if ((mark_limits >> i & 1) == 0 || outcome.marked[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", outcome.marked[i], mark_words[i]);
  }
  return text;
}

}  // namespace eventspace::whatif
