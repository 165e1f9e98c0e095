#include "monitors/top/terminal/page.h"

#include <algorithm>
#include <cmath>

namespace eventspace::top {
namespace {

constexpr std::size_t gap = 1;         // between columns
constexpr std::size_t mark_width = 2;  // before the first column

// The minimum width at which a column that takes the remaining room is useful.
std::size_t room_of(const Page& page, const std::vector<std::size_t>& columns) {
  std::size_t room = mark_width;
  for (const std::size_t column : columns) room += page.columns[column].width + gap;
  return room - gap;
}

std::string title_of(const Column& column, bool is_sorted, bool is_reversed) {
  if (!is_sorted) return column.title;
  return (column.largest_first != is_reversed ? "▼" : "▲") + column.title;
}

}  // namespace

void sort_rows(Page& page, std::size_t column, bool reversed) {
  const bool largest_first = page.columns[column].largest_first != reversed;
  std::stable_sort(page.rows.begin(), page.rows.end(), [&](const Row& a, const Row& b) {
    const double first = a.fields[column].key;
    const double second = b.fields[column].key;
    if (std::isnan(first) || std::isnan(second)) return !std::isnan(first) && std::isnan(second);
    return largest_first ? first > second : first < second;
  });
}

std::vector<std::size_t> columns_that_fit(const Page& page, std::size_t width) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < page.columns.size(); ++i) columns.push_back(i);
  while (room_of(page, columns) > width) {
    const auto least = std::max_element(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
      return page.columns[a].dispensable < page.columns[b].dispensable;
    });
    if (page.columns[*least].dispensable == 0) break;
    columns.erase(least);
  }
  return columns;
}

void draw_table(Frame& frame, std::size_t row, const Page& page, std::size_t first, std::size_t rows,
                std::optional<std::size_t> sorted, bool is_reversed) {
  const std::vector<std::size_t> columns = columns_that_fit(page, frame.size().columns);
  frame.fill(row, Style::heading);
  std::size_t at = mark_width;
  for (const std::size_t number : columns) {
    const Column& column = page.columns[number];
    const bool is_last = number == columns.back();
    const std::size_t width = is_last && !column.is_right ? SIZE_MAX : column.width;
    const auto put = [&](std::size_t line, const std::string& text, Style style) {
      if (column.is_right) {
        frame.put_right(line, at, text, style, width);
      } else {
        frame.put(line, at, text, style, width);
      }
    };
    put(row, title_of(column, sorted == number, is_reversed), Style::heading);
    for (std::size_t i = 0; i < rows && first + i < page.rows.size(); ++i) {
      const Field& field = page.rows[first + i].fields[number];
      put(row + 1 + i, field.text, field.style);
    }
    at += column.width + gap;
  }
  for (std::size_t i = 0; i < rows && first + i < page.rows.size(); ++i) {
    const Row& shown = page.rows[first + i];
    frame.put(row + 1 + i, 0, shown.mark, shown.mark_style, 1);
  }
}

void draw_line(Frame& frame, std::size_t row, const Line& line) {
  std::size_t column = 0;
  for (const Span& span : line) column += frame.put(row, column, span.text, span.style);
}

}  // namespace eventspace::top
