#include "monitors/whatif/asking/scenario_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "monitors/charts/chart.h"
#include "monitors/whatif/asking/working_tasks.h"

namespace eventspace::whatif {
namespace {

constexpr std::size_t max_bars = 40;
constexpr std::size_t named_bars = 8;  // with more bars, whole names do not fit

struct Part {
  std::string_view name;
  std::string_view colour;
};
// From the foot of a bar to its head.
constexpr std::array parts{Part{"computing", chart_colours[0]}, Part{"overhead", chart_colours[4]},
                           Part{"service", chart_colours[1]}, Part{"algorithmic", chart_colours[3]},
                           Part{"idle", "#bbbbbb"}};

std::array<double, parts.size()> mean_parts(const Outcome& outcome) {
  std::array<double, parts.size()> sums{};
  const auto working = working_tasks(outcome);
  for (const std::uint32_t task : working) {
    const TaskOutcome& of = outcome.tasks[task];
    const std::array<Picoseconds, parts.size()> times{of.compute, of.overhead, of.service, of.algorithmic,
                                                      of.idle};
    for (std::size_t i = 0; i < times.size(); ++i) sums[i] += in_seconds(times[i]);
  }
  for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(working.size(), 1));
  return sums;
}

std::string factors_of(const Answer& answer) {
  if (answer.is_baseline) return "baseline";
  std::string text;
  if (answer.compute != 1) text += fmt::format("computing x{:g}", answer.compute);
  if (answer.overhead != 1) text += fmt::format("{}library x{:g}", text.empty() ? "" : ", ", answer.overhead);
  return text;
}

void draw_stack(Chart& chart, double from, double to, const Outcome& outcome) {
  double foot = 0;
  const auto heights = mean_parts(outcome);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (heights[i] <= 0) continue;
    chart.bar({from, foot}, {to, foot + heights[i]}, parts[i].colour);
    foot += heights[i];
  }
}

double height_of(const Outcome& outcome) {
  double sum = 0;
  for (const double part : mean_parts(outcome)) sum += part;
  return sum;
}

}  // namespace

Picture draw_scenarios(const Program& program, const std::vector<Answer>& answers) {
  const std::size_t count = std::min(answers.size(), max_bars);
  double most = program.recorded ? in_seconds(*program.recorded) : 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, height_of(answers[i].outcome));
  std::string title = "mean of the working tasks";
  if (count < answers.size()) title += fmt::format(": the first {} of {} answers", count, answers.size());
  Picture picture(chart_width, chart_height);
  Chart chart(picture, title, Chart::bars(count), {"seconds", {0, most}}, {.right = 130});
  std::vector<Chart::KeyEntry> key;
  for (const Part& part : parts) key.insert(key.begin(), {part.colour, std::string(part.name)});
  chart.key(key);
  const std::size_t room = count <= named_bars ? 100 / std::max<std::size_t>(count, 1) : 4;
  for (std::size_t i = 0; i < count; ++i) {
    const Answer& answer = answers[i];
    const auto at = static_cast<double>(i);
    draw_stack(chart, at + 0.15, at + 0.85, answer.outcome);
    if (answer.is_baseline && program.recorded) {
      const double recorded = in_seconds(*program.recorded);
      chart.curve({{at, recorded}, {at + 1, recorded}}, {.width = 2, .is_dashed = true});
    }
    chart.name(at + 0.5, shortened(answer.network.name, room), 0, 12);
    chart.name(at + 0.5, shortened(factors_of(answer), room), 1, 11, "#555555");
  }
  return picture;
}

}  // namespace eventspace::whatif
