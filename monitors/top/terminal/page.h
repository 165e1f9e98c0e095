#pragma once

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

/// The text of a table cell and its sort key. A cell without a key (NaN) comes last in either order.
struct Field {
  std::string text;
  double key{std::numeric_limits<double>::quiet_NaN()};
  Style style{Style::plain};
};

struct Column {
  std::string title;
  std::size_t width{0};  ///< the minimum for the last column shown
  bool is_right{false};  ///< aligned right, for numbers
  bool can_sort{true};
  bool largest_first{false};  ///< the order of sorting unless reversed
  /// If there is no room for all columns, those with the largest value are left out first; 0 means never left
  /// out.
  int dispensable{0};
};

struct Row {
  std::uint64_t id{0};  ///< identifies the row for the cursor
  std::vector<Field> fields;
  std::optional<std::uint32_t> thread;  ///< the thread whose screen Enter opens
  std::string mark{};                   ///< one character in front of the row
  Style mark_style{Style::plain};
};

/// The contents of a screen: some lines and a table with its rows in their natural order. Display scrolls,
/// sorts and draws them.
struct Page {
  std::vector<Line> lines;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::string when_empty;     ///< shown if there are no rows
  std::string enters;         ///< what Enter opens; empty if nothing
  std::vector<Line> below{};  ///< lines below the table, which only LivePage shows
};

/// Sorts the rows of `page` by a column; equal rows keep their order.
void sort_rows(Page& page, std::size_t column, bool reversed);

/// The indices of the columns that fit into `width`, including all that must never be left out.
std::vector<std::size_t> columns_that_fit(const Page& page, std::size_t width);

/// Draws the titles of the columns in `row` of the frame, and below them `rows` rows of the table, starting
/// with row `first`. The column `sorted` gets an arrow.
void draw_table(Frame& frame, std::size_t row, const Page& page, std::size_t first, std::size_t rows,
                std::optional<std::size_t> sorted, bool is_reversed);
/// Draws the spans of a line one after another.
void draw_line(Frame& frame, std::size_t row, const Line& line);

}  // namespace eventspace::top
