#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "monitors/metrics/plots/chart_frame.h"
#include "monitors/metrics/plots/charts.h"

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;
using Plotted = PlotData::Metric;
using Series = PlotData::Series;

constexpr std::size_t max_rows = 64;
constexpr std::size_t max_written = 12;  // rows whose names can be read

/// The names of the first or the second objects, in the order in which they were seen, and their positions.
struct Names {
  std::vector<std::string> all;
  std::map<std::string, std::size_t> places;

  Names(const Plotted& metric, std::size_t which) {
    for (const Series& series : metric.series) {
      if (series.objects.size() != 2) continue;
      if (places.try_emplace(series.objects[which], all.size()).second) all.push_back(series.objects[which]);
    }
  }
  [[nodiscard]] std::size_t shown() const { return std::min(all.size(), max_rows); }
};

// White for 0, dark blue for the greatest.
std::string colour_of(double share) {
  const auto light = static_cast<int>(std::lround(255.0 - 205.0 * std::clamp(share, 0.0, 1.0)));
  return fmt::format("#{0:02x}{1:02x}ff", light, (light + 255) / 2 - (255 - light) / 4);
}

class Cells {
 public:
  Cells(Picture& picture, double top, const Names& rows, const Names& columns)
      : picture_(picture),
        rows_(rows),
        columns_(columns),
        top_(top + 80),
        size_(std::min((chart_height - 110) / static_cast<double>(rows.shown()),
                       (chart_width - left - right) / static_cast<double>(columns.shown()))) {}

  void draw_names() const {
    for (std::size_t i = 0; i < rows_.shown(); ++i) {
      if (is_named(i, rows_.shown()))
        picture_.words({left - 8, y(i) + size_ / 2 + 4}, Anchor::end, shortened(rows_.all[i], 16), name_size);
    }
    std::size_t longest = 1;
    for (std::size_t i = 0; i < columns_.shown(); ++i)
      longest = std::max(longest, shortened(columns_.all[i], longest_name).size());
    const auto every = static_cast<std::size_t>(std::ceil(width_of(longest, name_size) / size_));
    for (std::size_t i = 0; i < columns_.shown(); i += every)
      picture_.words({x(i) + size_ / 2, top_ - 6}, Anchor::middle, shortened(columns_.all[i], longest_name),
                     name_size);
  }

  void draw(const Series& series, double most) const {
    const std::size_t row = rows_.places.at(series.objects[0]);
    const std::size_t column = columns_.places.at(series.objects[1]);
    if (row >= rows_.shown() || column >= columns_.shown()) return;
    const double share = most > 0 ? series.newest / most : 0.0;
    const double a = x(column);
    const double b = y(row);
    const std::string number = fmt::format("{:.3g}", series.newest);
    const bool has_room = width_of(number.size(), number_size) <= size_;
    const std::string colour = colour_of(share);
    // Lines around small cells would hide their colours.
    picture_.box({a, b}, {a + size_, b + size_}, colour, has_room ? "#999999" : colour);
    if (has_room)
      picture_.words({a + size_ / 2, b + size_ / 2 + 4}, Anchor::middle, number, number_size,
                     share > 0.6 ? "#ffffff" : "#000000");
  }

  /// Shows the values of the colours.
  void draw_key(double most, const std::string& unit) const {
    constexpr int steps = 32;
    constexpr double width = 18;
    constexpr double height = 200;
    const double a = x(columns_.shown()) + 40;
    for (int i = 0; i < steps; ++i) {
      const std::string colour = colour_of(static_cast<double>(steps - i) / steps);
      const double from = top_ + height * i / steps;
      const double to = top_ + height * (i + 1) / steps;
      picture_.box({a, from}, {a + width, to}, colour, colour);
    }
    const std::string label = unit.empty() ? std::string() : " " + unit;
    picture_.words({a + width + 8, top_ + 8}, Anchor::start, fmt::format("{:.3g}{}", most, label), 11);
    picture_.words({a + width + 8, top_ + height}, Anchor::start, "0" + label, 11);
  }

 private:
  static constexpr double left = 150;
  static constexpr double name_size = 11;
  static constexpr double number_size = 10;
  static constexpr std::size_t longest_name = 9;  // of a column
  static constexpr double right = 130;            // for the key

  // The width of a text, with a margin.
  static double width_of(std::size_t characters, double size) {
    return 0.6 * size * (static_cast<double>(characters) + 0.5);
  }
  [[nodiscard]] double x(std::size_t column) const { return left + size_ * static_cast<double>(column); }
  [[nodiscard]] double y(std::size_t row) const { return top_ + size_ * static_cast<double>(row); }
  static bool is_named(std::size_t place, std::size_t count) {
    return place % ((count + max_written - 1) / max_written) == 0;
  }

  Picture& picture_;
  const Names& rows_;
  const Names& columns_;
  double top_;
  double size_;  // of a cell
};

}  // namespace

void draw_matrix(Picture& picture, double top, const Plotted& metric) {
  const Names rows(metric, 0);
  const Names columns(metric, 1);
  std::string more = "rows to columns";
  if (!metric.unit.label.empty()) more += ", in " + metric.unit.label;
  if (rows.all.size() > max_rows || columns.all.size() > max_rows)
    more += fmt::format(", the first {} of {}", max_rows, std::max(rows.all.size(), columns.all.size()));
  draw_title(picture, top, metric, more);
  if (rows.all.empty()) return draw_nothing(picture, top, "no value of two objects");
  double most = 0.0;
  for (const Series& series : metric.series) most = std::max(most, series.newest);
  const Cells cells(picture, top, rows, columns);
  for (const Series& series : metric.series) {
    if (series.objects.size() == 2) cells.draw(series, most);
  }
  cells.draw_names();
  if (most > 0) cells.draw_key(most, metric.unit.label);
}

}  // namespace eventspace
