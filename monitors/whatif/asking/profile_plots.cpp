#include "monitors/whatif/asking/profile_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "monitors/charts/chart.h"
#include "monitors/charts/matrix_chart.h"

namespace eventspace::whatif {
namespace {

using Flow = SimulationTrace::Flow;

constexpr std::size_t max_grouped = chart_colours.size();  // tasks that are drawn as bars
constexpr std::size_t max_courses = 6;

/// The quantity of a flow that a chart shows.
struct Amount {
  std::string_view name;
  std::uint64_t Flow::*of;
};
constexpr std::array amounts{Amount{"bytes", &Flow::bytes}, Amount{"messages", &Flow::messages}};

using Labels = std::vector<std::string>;  // by task

bool do_all_differ(const Labels& labels) {
  return std::set<std::string_view>(labels.begin(), labels.end()).size() == labels.size();
}

// The part of the name after the last dot, if it is unique: "app.t40002", "app.3"; otherwise the whole names:
// "n1.w0", "n2.w0"; and numbers if names are equal. Tasks with equal labels would share one row of a matrix.
Labels labels_of(const Program& program) {
  Labels names, ends, numbers;
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    const std::string& name = names.emplace_back(program.short_name_of(task));
    ends.push_back(name.substr(name.find_last_of('.') + 1));
    numbers.push_back(std::to_string(task));
  }
  if (do_all_differ(ends)) return ends;
  return do_all_differ(names) ? names : numbers;
}

// --- the aggregate profile ---------------------------------------------------------------------------------

std::uint64_t max_of(const SimulationTrace& trace, const Amount& amount) {
  std::uint64_t most = 0;
  for (const auto& [ends, flow] : trace.flows) most = std::max(most, flow.*amount.of);
  return most;
}

// Returns the unit in which the number has about three digits.
std::pair<std::string, double> unit_for(std::uint64_t bytes) {
  static constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  double scale = 1;
  std::size_t unit = 0;
  while (static_cast<double>(bytes) / scale >= 1000 && unit + 1 < units.size()) {
    scale *= 1000;
    ++unit;
  }
  return {units[unit], scale};
}

Chart::Axis axis_of(const Amount& amount, std::uint64_t most) {
  return {std::string(amount.name), {0, static_cast<double>(most)}};
}

// A group of bars for each sender.
void draw_groups(Picture& picture, double top, const Labels& labels, const SimulationTrace& trace,
                 const Amount& amount) {
  Chart chart(picture, fmt::format("{} from each task to each other task", amount.name),
              Chart::bars(labels.size()), axis_of(amount, max_of(trace, amount)), {.top = top, .right = 150});
  std::vector<Chart::KeyEntry> receivers;
  for (std::size_t task = 0; task < labels.size(); ++task) {
    receivers.push_back({chart_colours[task], shortened(labels[task], 14)});
    chart.name(static_cast<double>(task) + 0.5, "from " + shortened(labels[task], 12), 0, 12);
  }
  chart.key(receivers, "to");
  const double bar = 0.8 / static_cast<double>(labels.size());
  for (const auto& [ends, flow] : trace.flows) {
    const double from = ends.first + 0.1 + bar * ends.second;
    chart.bar({from, 0}, {from + bar, static_cast<double>(flow.*amount.of)}, chart_colours[ends.second]);
  }
}

void draw_pairs(Picture& picture, double top, const Labels& labels, const SimulationTrace& trace,
                const Amount& amount) {
  Matrix matrix{.rows = labels, .columns = labels};
  double scale = 1;
  if (amount.of == &Flow::bytes) std::tie(matrix.unit, scale) = unit_for(max_of(trace, amount));
  const auto add = [&](std::size_t from, std::size_t to, std::uint64_t value) {
    const double scaled = static_cast<double>(value) / scale;
    matrix.cells.push_back({from, to, scaled, fmt::format("{:.3g}", scaled)});
  };
  for (std::size_t task = 0; task < labels.size(); ++task) add(task, task, 0);
  for (const auto& [ends, flow] : trace.flows) add(ends.first, ends.second, flow.*amount.of);
  std::string title = fmt::format("{}: rows to columns", amount.name);
  if (!matrix.unit.empty()) title += ", in " + matrix.unit;
  if (labels.size() > max_matrix_rows)
    title += fmt::format(", the first {} of {}", max_matrix_rows, labels.size());
  draw_matrix(picture, title, matrix, {.top = top});
}

// --- the dynamic profile -----------------------------------------------------------------------------------

std::string heading_of(const Answer& answer, const Amount& amount) {
  std::string text = fmt::format("{} sent in each {:.3g} ms, {}", amount.name,
                                 1e3 * in_seconds(answer.outcome.trace->course.span()), answer.network.name);
  if (answer.compute != 1) text += fmt::format(", computing x{:g}", answer.compute);
  if (answer.overhead != 1) text += fmt::format(", library x{:g}", answer.overhead);
  return answer.is_baseline ? text + " (baseline)" : text;
}

void draw_spans(Picture& picture, double top, const Answer& answer, const Amount& amount) {
  const SimulationTrace::Course& course = answer.outcome.trace->course;
  std::uint64_t most = 0;
  for (const Flow& span : course.spans()) most = std::max(most, span.*amount.of);
  Chart chart(picture, heading_of(answer, amount), {"seconds", {0, in_seconds(answer.outcome.execution)}},
              axis_of(amount, most), {.top = top});
  const double span = in_seconds(course.span());
  for (std::size_t i = 0; i < course.spans().size(); ++i) {
    const auto value = static_cast<double>(course.spans()[i].*amount.of);
    const double from = span * static_cast<double>(i);
    if (value > 0) chart.bar({from, 0}, {from + span, value}, bar_colour, bar_colour);
  }
}

}  // namespace

Picture draw_flows(const Program& program, const Answer& answer) {
  const SimulationTrace& trace = *answer.outcome.trace;
  const Labels labels = labels_of(program);
  Picture picture = stacked_charts(amounts.size(), 0, "chart");
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const double top = chart_height * static_cast<double>(i);
    if (trace.flows.empty())
      draw_nothing(picture, top, fmt::format("no {} were sent", amounts[i].name));
    else if (labels.size() > max_grouped)
      draw_pairs(picture, top, labels, trace, amounts[i]);
    else
      draw_groups(picture, top, labels, trace, amounts[i]);
  }
  return picture;
}

Picture draw_course(const std::vector<Answer>& answers) {
  const std::size_t shown = std::min(answers.size(), max_courses);
  Picture picture = stacked_charts(amounts.size() * shown, answers.size() - shown, "more answer");
  for (std::size_t i = 0; i < amounts.size() * shown; ++i)
    draw_spans(picture, chart_height * static_cast<double>(i), answers[i / amounts.size()],
               amounts[i % amounts.size()]);
  return picture;
}

}  // namespace eventspace::whatif
