#include "monitors/charts/matrix_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eventspace {
namespace {

using Anchor = Picture::Anchor;
using Names = std::vector<std::string>;

// Around the cells.
constexpr double room_above = 80;  // for the title and names of columns
constexpr double room_below = 30;
constexpr double room_left = 150;   // for names of rows
constexpr double room_right = 130;  // for the key
constexpr double name_size = 11;
constexpr double number_size = 10;
constexpr std::size_t longest_name = 22;

// The width of a text, with a margin.
double width_of(std::size_t characters, double size) {
  return 0.6 * size * (static_cast<double>(characters) + 0.5);
}

// White for 0, dark blue for the greatest.
std::string colour_of(double share) {
  const auto light = static_cast<int>(std::lround(255.0 - 205.0 * std::clamp(share, 0.0, 1.0)));
  return fmt::format("#{0:02x}{1:02x}ff", light, (light + 255) / 2 - (255 - light) / 4);
}

class Cells {
 public:
  Cells(Picture& picture, const Matrix& matrix, const ChartRoom& room)
      : picture_(picture),
        matrix_(matrix),
        top_(room.top + room_above),
        size_(std::min((room.height - room_above - room_below) / static_cast<double>(shown(matrix.rows)),
                       (room.width - room_left - room_right) / static_cast<double>(shown(matrix.columns)))) {
    for (const Matrix::Cell& cell : matrix.cells) {
      if (cell.value <= 0) continue;
      if (greatest_ == nullptr || cell.value > greatest_->value) greatest_ = &cell;
      if (least_ == nullptr || cell.value < least_->value) least_ = &cell;
    }
  }

  void draw() const {
    for (const Matrix::Cell& cell : matrix_.cells) draw(cell);
    draw_names();
    if (greatest_ != nullptr) draw_key();
  }

 private:
  static std::size_t shown(const Names& names) { return std::min(names.size(), max_matrix_rows); }
  [[nodiscard]] double x(std::size_t column) const { return room_left + size_ * static_cast<double>(column); }
  [[nodiscard]] double y(std::size_t row) const { return top_ + size_ * static_cast<double>(row); }

  void draw(const Matrix::Cell& cell) const {
    if (cell.row >= max_matrix_rows || cell.column >= max_matrix_rows) return;
    const double share = share_of(cell.value);
    const double a = x(cell.column);
    const double b = y(cell.row);
    const bool has_room = width_of(cell.text.size(), number_size) <= size_;
    const std::string colour = colour_of(share);
    // Lines around small cells would hide their colours.
    picture_.box({a, b}, {a + size_, b + size_}, colour, has_room ? "#999999" : colour);
    if (has_room)
      picture_.words({a + size_ / 2, b + size_ / 2 + 4}, Anchor::middle, cell.text, number_size,
                     share > 0.6 ? "#ffffff" : "#000000");
  }

  [[nodiscard]] double share_of(double value) const {
    if (greatest_ == nullptr || value <= 0) return 0;
    if (!matrix_.is_logarithmic) return value / greatest_->value;
    // The least value is told from a blank. Values within a factor of ten do not use all colours, so that
    // small differences look small.
    constexpr double of_least = 0.1;
    const double range = std::max(std::log10(greatest_->value / least_->value), 1.0);
    return 1 - (1 - of_least) * std::log10(greatest_->value / value) / range;
  }

  // Leaves out names for which there is no space.
  void draw_names() const {
    constexpr double line = 14;
    const auto every_row = static_cast<std::size_t>(std::ceil(line / size_));
    for (std::size_t i = 0; i < shown(matrix_.rows); i += every_row)
      picture_.words({room_left - 8, y(i) + size_ / 2 + 4}, Anchor::end,
                     shortened(matrix_.rows[i], longest_name), name_size);
    std::size_t longest = 1;
    for (std::size_t i = 0; i < shown(matrix_.columns); ++i)
      longest = std::max(longest, std::min(matrix_.columns[i].size(), longest_name));
    const auto every = static_cast<std::size_t>(std::ceil(width_of(longest, name_size) / size_));
    for (std::size_t i = 0; i < shown(matrix_.columns); i += every)
      picture_.words({x(i) + size_ / 2, top_ - 6}, Anchor::middle,
                     shortened(matrix_.columns[i], longest_name), name_size);
  }

  void draw_key() const {
    constexpr int steps = 32;
    constexpr double width = 18;
    constexpr double height = 200;
    const double a = x(shown(matrix_.columns)) + 40;
    for (int i = 0; i < steps; ++i) {
      const std::string colour = colour_of(static_cast<double>(steps - i) / steps);
      picture_.box({a, top_ + height * i / steps}, {a + width, top_ + height * (i + 1) / steps}, colour,
                   colour);
    }
    const std::string unit = matrix_.unit.empty() ? std::string() : " " + matrix_.unit;
    picture_.words({a + width + 8, top_ + 8}, Anchor::start, greatest_->text + unit, 11);
    picture_.words({a + width + 8, top_ + height}, Anchor::start, "0" + unit, 11);
    if (!matrix_.is_logarithmic) return;
    constexpr double line = 14;
    const double at = top_ + height * (1 - share_of(least_->value)) + 4;
    if (at > top_ + 8 + line && at < top_ + height - line)
      picture_.words({a + width + 8, at}, Anchor::start, least_->text + unit, 11);
    picture_.words({a, top_ + height + 2 * line}, Anchor::start, "logarithmic", 11);
  }

  Picture& picture_;
  const Matrix& matrix_;
  double top_;
  double size_;                            // of a cell
  const Matrix::Cell* greatest_{nullptr};  // of the values above 0
  const Matrix::Cell* least_{nullptr};
};

}  // namespace

void draw_matrix(Picture& picture, const std::string& title, const Matrix& matrix, const ChartRoom& room) {
  draw_heading(picture, room.top, title, room.width);
  if (!matrix.rows.empty() && !matrix.columns.empty()) Cells(picture, matrix, room).draw();
}

ChartRoom room_for_texts(const Matrix& matrix, std::size_t characters) {
  const double size = width_of(characters, number_size);
  const auto cells = [&](const Names& names) {
    return size * static_cast<double>(std::min(names.size(), max_matrix_rows));
  };
  return {.width = std::max(chart_width, room_left + room_right + cells(matrix.columns)),
          .height = std::max(chart_height, room_above + room_below + cells(matrix.rows))};
}

}  // namespace eventspace
