#include "monitors/probing/balance/balance_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "monitors/charts/chart.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;
using Round = std::vector<const BalanceFinding*>;

constexpr std::string_view faint = "#666666";
constexpr std::string_view spread_colour = "#d55e00";

double share_of(const BalanceFinding& finding, std::uint64_t ns) {
  const double mean = finding.total_ns.mean();
  return mean <= 0 ? 0 : finding.share * static_cast<double>(ns) / mean;
}

double greatest_share(const std::vector<BalanceFinding>& findings) {
  double greatest = 0.01;
  for (const BalanceFinding& finding : findings)
    greatest = std::max(greatest, share_of(finding, finding.total_ns.greatest));
  return greatest;
}

// The rows of a round: its heading, functions, and the number of the functions that are left out.
std::size_t rows_of(const Round& functions) { return 1 + std::min(functions.size(), max_drawn + 1); }

class RoundsDrawing {
 public:
  RoundsDrawing(Chart& chart, std::size_t rows) : chart_(chart), row_(static_cast<double>(rows)) {}

  void draw(std::size_t number, const Round& functions) {
    write(fmt::format("round {}", number), 15);
    for (std::size_t i = 0; i < std::min(functions.size(), max_drawn); ++i) draw(*functions[i]);
    if (functions.size() > max_drawn)
      write(fmt::format("and {} more functions", functions.size() - max_drawn), 11, faint);
  }

 private:
  // Begins a row with a text at the left.
  void write(const std::string& text, double size, std::string_view colour = "#000000") {
    row_ -= 1;
    chart_.words({0, row_ + 0.5}, {-names_width, 4}, Anchor::start, text, size, colour);
  }

  void draw(const BalanceFinding& finding) {
    write(shortened(finding.name.function, 40), 12);
    if (finding.verdict == BalanceVerdict::too_often)
      chart_.words({0, row_ + 0.5}, {4, 4}, Anchor::start, "called too often to be measured", 11, faint);
    else
      draw_bar(finding);
  }

  void draw_bar(const BalanceFinding& finding) {
    constexpr Picture::Pen pen{spread_colour, 2};
    const double middle = row_ + 0.5;
    chart_.bar({0, middle - 0.3}, {100 * finding.share, middle + 0.3}, bar_colour);
    const double least = 100 * share_of(finding, finding.total_ns.least);
    const double greatest = 100 * share_of(finding, finding.total_ns.greatest);
    chart_.curve({{least, middle}, {greatest, middle}}, pen);
    for (const double at : {least, greatest}) chart_.curve({{at, middle - 0.15}, {at, middle + 0.15}}, pen);
    chart_.words({greatest, middle}, {6, 4}, Anchor::start, finding.total_ns.greatest_at, 11, spread_colour);
  }

  static constexpr double names_width = 320;
  Chart& chart_;
  double row_;  // the foot of the current row, from the last one upwards
};

}  // namespace

Picture draw_balance(const std::vector<BalanceFinding>& findings) {
  constexpr double row_height = 24;
  std::map<std::size_t, Round> rounds;
  for (const BalanceFinding& finding : findings) rounds[finding.round].push_back(&finding);
  std::size_t rows = 0;
  for (const auto& [number, functions] : rounds) rows += rows_of(functions);
  const double height = Chart::height_around + row_height * static_cast<double>(rows);
  Picture picture(980, height);
  Chart chart(picture, "", {"% of the time of the round", {0, 100 * greatest_share(findings)}},
              Chart::bars(rows),
              {.left = 340, .right = 200, .width = picture.width(), .height = picture.height()});
  RoundsDrawing drawing(chart, rows);
  for (const auto& [number, functions] : rounds) drawing.draw(number, functions);
  return picture;
}

}  // namespace eventspace
