#include "monitors/probing/balance/balance_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "monitors/drawing/round_axis.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;

constexpr double names_width = 320;
constexpr double bars_width = 420;
constexpr double right_room = 200;
constexpr double row_height = 24;
constexpr double head_height = 34;
constexpr double margin = 20;

using Round = std::vector<const BalanceFinding*>;

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 40;
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

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

class RoundsDrawing {
 public:
  RoundsDrawing(Picture& picture, const RoundAxis& axis) : picture_(picture), axis_(axis) {}

  void round(std::size_t number, const Round& functions) {
    top_ += head_height;
    picture_.words({margin, top_ - 10}, Anchor::start, fmt::format("round {}", number), 15);
    for (std::size_t i = 0; i < std::min(functions.size(), max_drawn); ++i) row(*functions[i]);
    if (functions.size() > max_drawn) {
      picture_.words({margin, top_ + 16}, Anchor::start,
                     fmt::format("and {} more functions", functions.size() - max_drawn), 11, "#666666");
      top_ += row_height;
    }
  }
  void scale() {
    for (const double step : axis_.steps()) {
      picture_.line({{x(step), margin}, {x(step), top_ + 6}}, {"#dddddd", 1.0, true});
      picture_.words({x(step), top_ + 22}, Anchor::middle, fmt::format("{:.0f} %", 100 * step), 11);
    }
  }

 private:
  [[nodiscard]] double x(double share) const {
    return margin + names_width + axis_.share(share) * bars_width;
  }

  void row(const BalanceFinding& finding) {
    const double middle = top_ + row_height / 2;
    picture_.words({margin, middle + 4}, Anchor::start, shortened(finding.name.function), 12);
    if (finding.verdict == BalanceVerdict::too_often)
      picture_.words({x(0) + 4, middle + 4}, Anchor::start, "called too often to be measured", 11, "#666666");
    else
      bar(finding, middle);
    top_ += row_height;
  }
  void bar(const BalanceFinding& finding, double middle) {
    constexpr double half = 7;
    const double end = x(finding.share);
    picture_.box({x(0), middle - half}, {end, middle + half}, "#4a90c8", "#333333");
    const double least = x(share_of(finding, finding.total_ns.least));
    const double greatest = x(share_of(finding, finding.total_ns.greatest));
    picture_.line({{least, middle}, {greatest, middle}}, {"#d55e00", 2.0, false});
    for (const double at : {least, greatest})
      picture_.line({{at, middle - half / 2}, {at, middle + half / 2}}, {"#d55e00", 2.0, false});
    picture_.words({greatest + 6, middle + 4}, Anchor::start, finding.total_ns.greatest_at, 11, "#d55e00");
  }

  Picture& picture_;
  const RoundAxis& axis_;
  double top_{margin};
};

}  // namespace

Picture draw_balance(const std::vector<BalanceFinding>& findings) {
  std::map<std::size_t, Round> rounds;
  for (const BalanceFinding& finding : findings) rounds[finding.round].push_back(&finding);
  std::size_t rows = 0;
  for (const auto& [number, functions] : rounds) rows += std::min(functions.size(), max_drawn + 1);
  const double height = 2 * margin + static_cast<double>(rounds.size()) * head_height +
                        static_cast<double>(rows) * row_height + 2 * row_height;
  Picture picture(2 * margin + names_width + bars_width + right_room, height);
  const RoundAxis axis(0, greatest_share(findings));
  RoundsDrawing drawing(picture, axis);
  for (const auto& [number, functions] : rounds) drawing.round(number, functions);
  drawing.scale();
  return picture;
}

}  // namespace eventspace
