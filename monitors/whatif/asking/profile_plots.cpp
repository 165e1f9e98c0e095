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

#include "monitors/metrics/plots/chart_frame.h"
#include "monitors/metrics/plots/charts.h"
#include "monitors/text/counted.h"

namespace eventspace::whatif {
namespace {

using Anchor = Picture::Anchor;
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

void draw_key(Picture& picture, const ChartFrame& frame, const Labels& labels) {
  const double x = frame.right() + 20;
  double y = frame.top();
  picture.words({x, y}, Anchor::start, "to", 12);
  for (std::size_t task = 0; task < labels.size(); ++task) {
    y += 20;
    draw_key_entry(picture, x, y, chart_colours[task], shortened(labels[task], 14));
  }
}

void draw_groups(Picture& picture, double top, const Labels& labels, const SimulationTrace& trace,
                 const Amount& amount) {
  const std::uint64_t most = max_of(trace, amount);
  const auto tasks = static_cast<double>(labels.size());
  const ChartFrame frame(picture, top, {0, tasks}, {0, static_cast<double>(most)}, 150);
  frame.draw_y(std::string(amount.name));
  draw_key(picture, frame, labels);
  const double group = (frame.right() - ChartFrame::left) / tasks;
  const double bar = 0.8 * group / tasks;
  for (const auto& [ends, flow] : trace.flows) {
    const double from = ChartFrame::left + group * (ends.first + 0.1) + bar * ends.second;
    const double head = frame.y(static_cast<double>(flow.*amount.of));
    picture.box({from, frame.y(0)}, {from + bar, head}, chart_colours[ends.second], "#333333");
  }
  for (std::size_t task = 0; task < labels.size(); ++task)
    picture.words({ChartFrame::left + group * (static_cast<double>(task) + 0.5), frame.bottom() + 18},
                  Anchor::middle, "from " + shortened(labels[task], 12), 12);
}

PlotData::Metric matrix_of(const Labels& labels, const SimulationTrace& trace, const Amount& amount) {
  PlotData::Metric matrix;
  matrix.name = amount.name;
  double scale = 1;
  if (amount.of == &Flow::bytes) std::tie(matrix.unit.label, scale) = unit_for(max_of(trace, amount));
  const auto add = [&](std::uint32_t from, std::uint32_t to, const Flow& flow) {
    matrix.series.push_back(
        {.objects = {labels[from], labels[to]}, .newest = static_cast<double>(flow.*amount.of) / scale});
  };
  // Messages to itself first, so that rows and columns are in the order of the tasks.
  for (std::uint32_t task = 0; task < labels.size(); ++task) {
    const auto own = trace.flows.find({task, task});
    add(task, task, own == trace.flows.end() ? Flow{} : own->second);
  }
  for (const auto& [ends, flow] : trace.flows)
    if (ends.first != ends.second) add(ends.first, ends.second, flow);
  return matrix;
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
  const ChartFrame frame(picture, top, {0, in_seconds(answer.outcome.execution)},
                         {0, static_cast<double>(most)});
  draw_heading(picture, top, heading_of(answer, amount));
  frame.draw_y(std::string(amount.name));
  frame.draw_x("seconds");
  for (std::size_t i = 0; i < course.spans().size(); ++i) {
    const std::uint64_t value = course.spans()[i].*amount.of;
    if (value == 0) continue;
    const double from = frame.x(in_seconds(course.span()) * static_cast<double>(i));
    const double to = frame.x(in_seconds(course.span()) * static_cast<double>(i + 1));
    const double head = frame.y(static_cast<double>(value));
    picture.box({from, frame.y(0)}, {to, head}, bar_colour, bar_colour);
  }
}

}  // namespace

Picture draw_flows(const Program& program, const Answer& answer) {
  const SimulationTrace& trace = *answer.outcome.trace;
  const Labels labels = labels_of(program);
  Picture picture(chart_width, chart_height * amounts.size());
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const double top = chart_height * static_cast<double>(i);
    if (trace.flows.empty()) {
      draw_nothing(picture, top, fmt::format("no {} were sent", amounts[i].name));
    } else if (labels.size() > max_grouped) {
      draw_matrix(picture, top, matrix_of(labels, trace, amounts[i]));
    } else {
      draw_heading(picture, top, fmt::format("{} from each task to each other task", amounts[i].name));
      draw_groups(picture, top, labels, trace, amounts[i]);
    }
  }
  return picture;
}

Picture draw_course(const std::vector<Answer>& answers) {
  constexpr double foot = 30;
  const std::size_t shown = std::min(answers.size(), max_courses);
  const bool has_more = shown < answers.size();
  Picture picture(chart_width,
                  chart_height * static_cast<double>(amounts.size() * shown) + (has_more ? foot : 0));
  for (std::size_t i = 0; i < amounts.size() * shown; ++i)
    draw_spans(picture, chart_height * static_cast<double>(i), answers[i / amounts.size()],
               amounts[i % amounts.size()]);
  if (has_more)
    picture.words({chart_width / 2, picture.height() - foot / 2}, Anchor::middle,
                  fmt::format("and {}", counted(answers.size() - shown, "more answer")));
  return picture;
}

}  // namespace eventspace::whatif
