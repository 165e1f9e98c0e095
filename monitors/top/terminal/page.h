#pragma once

// Private to monitors/.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "monitors/top/terminal/frame.h"

namespace eventspace::top {

/// A piece of a line that has one style.
struct Span {
  std::string text;
  Style style{Style::plain};
};
using Line = std::vector<Span>;

/// What stands in a column, and what it is sorted by: with nothing known it comes last either way.
struct Field {
  std::string text;
  double key{std::numeric_limits<double>::quiet_NaN()};
  Style style{Style::plain};
};

struct Column {
  std::string title;
  std::size_t width{0};  ///< of the last one that is shown: at least
  bool is_right{false};  ///< numbers
  bool can_sort{true};
  bool largest_first{false};  ///< how it is sorted unless reversed
  /// When there is no room for all columns those with the greatest go first; 0: never.
  int dispensable{0};
};

struct Row {
  std::uint64_t id{0};  ///< the cursor stays on it
  std::vector<Field> fields;
  std::optional<std::uint32_t> thread;  ///< that Enter goes to
  std::string mark{};                   ///< one character before the row
  Style mark_style{Style::plain};
};

/// What a screen shows: some lines and a table, whose rows are in their natural order. Scrolling, sorting and
/// drawing are not its business.
struct Page {
  std::vector<Line> lines;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string when_empty;  ///< instead of rows
  std::string enters;      ///< what Enter goes to; empty: nowhere
};

/// The rows of `page` in the order of one of its columns; equal ones stay in their order.
void sort_rows(Page& page, std::size_t column, bool reversed);

/// Which columns there is room for in `width`, by number; those that must not be left out are there always.
std::vector<std::size_t> columns_that_fit(const Page& page, std::size_t width);

/// Draws the names of the columns in `row` of the frame, and below them `rows` rows of the table from number
/// `first` on. `sorted`: the column that gets an arrow.
void draw_table(Frame& frame, std::size_t row, const Page& page, std::size_t first, std::size_t rows,
                std::optional<std::size_t> sorted, bool is_reversed);
/// Draws spans one after the other.
void draw_line(Frame& frame, std::size_t row, const Line& line);

}  // namespace eventspace::top
