#include "monitors/tune/plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/drawing/dot_text.h"
#include "monitors/drawing/round_axis.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::tune {
namespace {

constexpr double width = 820;
constexpr double height = 520;
constexpr double left = 80;
constexpr double right = 30;
constexpr double top = 50;
constexpr double bottom = 65;

class Plot {
 public:
  explicit Plot(const Outcome& outcome)
      : outcome_(outcome), rates_(range_of_rates()), slowdowns_(range_of_slowdowns()) {}

  std::string draw() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
    label(width / 2, 26, "middle",
          fmt::format("Scope {}: the slowdown and observe rate of its trees", outcome_.scope), 16);
    draw_axes();
    draw_goal();
    draw_front();
    for (std::size_t i = 0; i < outcome_.tried.size(); ++i) draw_point(i);
    return text_ + "</svg>\n";
  }

 private:
  template <class Of>
  [[nodiscard]] std::vector<double> all(Of of) const {
    std::vector<double> values;
    for (const Tried& tried : outcome_.tried)
      if (tried.measured) values.push_back(of(*tried.measured));
    return values;
  }
  [[nodiscard]] RoundAxis range_of_rates() const {
    auto values = all([](const Estimate& e) { return e.figures.rate; });
    if (outcome_.goal.min_rate) values.push_back(*outcome_.goal.min_rate);
    values.push_back(0);
    return {0, *std::max_element(values.begin(), values.end())};
  }
  [[nodiscard]] RoundAxis range_of_slowdowns() const {
    auto values = all([](const Estimate& e) { return e.figures.slowdown; });
    if (outcome_.goal.max_slowdown) values.push_back(*outcome_.goal.max_slowdown);
    values.push_back(1);
    return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
  }

  [[nodiscard]] double x(double rate) const { return left + rates_.share(rate) * (width - left - right); }
  [[nodiscard]] double y(double slowdown) const {
    return height - bottom - slowdowns_.share(slowdown) * (height - top - bottom);
  }

  void line(double x1, double y1, double x2, double y2, const char* style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2,
                         y2, style);
  }
  void label(double at_x, double at_y, const char* anchor, const std::string& words, int size = 13) {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n",
                         at_x, at_y, anchor, size, markup_of(words, Newlines::escaped));
  }

  void draw_axes() {
    constexpr const char* grid = "stroke=\"#ddd\"";
    for (const double value : rates_.steps()) {
      line(x(value), top, x(value), height - bottom, grid);
      label(x(value), height - bottom + 20, "middle", fmt::format("{:.{}f}", value, rates_.digits()));
    }
    for (const double value : slowdowns_.steps()) {
      line(left, y(value), width - right, y(value), grid);
      label(left - 8, y(value) + 4, "end", fmt::format("{:.{}f}", value, slowdowns_.digits()));
    }
    label((left + width - right) / 2, height - 20, "middle", "observe rate (pulls a second)");
    text_ += fmt::format(
        "<text x=\"22\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 22 {0:.1f})\">slowdown "
        "of the "
        "application</text>\n",
        (top + height - bottom) / 2);
  }

  void draw_goal() {
    constexpr const char* dashed = "stroke=\"#c33\" stroke-dasharray=\"6 4\"";
    if (const auto& most = outcome_.goal.max_slowdown) line(left, y(*most), width - right, y(*most), dashed);
    if (const auto& least = outcome_.goal.min_rate) line(x(*least), top, x(*least), height - bottom, dashed);
  }

  void draw_front() {
    std::vector<Figures> measured;
    for (const Tried& tried : outcome_.tried)
      if (tried.measured) measured.push_back(tried.measured->figures);
    const auto front = pareto_front(measured);
    std::vector<Figures> corners;
    for (std::size_t i = 0; i < measured.size(); ++i)
      if (front[i]) corners.push_back(measured[i]);
    std::sort(corners.begin(), corners.end(),
              [](const Figures& a, const Figures& b) { return a.rate < b.rate; });
    std::string points;
    for (const Figures& corner : corners)
      points += fmt::format("{:.1f},{:.1f} ", x(corner.rate), y(corner.slowdown));
    text_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#36c\" stroke-width=\"1.5\"/>\n", points);
  }

  void draw_point(std::size_t number) {
    const Tried& tried = outcome_.tried[number];
    if (!tried.measured) return;
    const Figures& figures = tried.measured->figures;
    const bool best = outcome_.best == number;
    text_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"#333\" "
        "stroke-width=\"0.8\"><title>{}: {:.1f} pulls "
        "a second, slowdown {:.3f}</title></circle>\n",
        x(figures.rate), y(figures.slowdown), best ? 7 : 4.5,
        best          ? "#e80"
        : tried.given ? "#3a3"
                      : "#9bd",
        markup_of(tried.words, Newlines::escaped), figures.rate, figures.slowdown);
    if (!best && !tried.given) return;
    const bool on_the_left = rates_.share(figures.rate) < 0.5;
    label(x(figures.rate) + (on_the_left ? 11 : -11), y(figures.slowdown) + (best ? -9 : 18),
          on_the_left ? "start" : "end",
          (best ? (tried.given ? "best, as it is: " : "best: ") : "as it is: ") + tried.words);
  }

  const Outcome& outcome_;
  RoundAxis rates_;
  RoundAxis slowdowns_;
  std::string text_;
};

}  // namespace

std::string plot_svg(const Outcome& outcome) { return Plot(outcome).draw(); }

}  // namespace eventspace::tune
