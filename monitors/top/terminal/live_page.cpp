#include "monitors/top/terminal/live_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "monitors/text/text_format.h"

namespace eventspace::top {
namespace {

constexpr std::size_t max_notes = 5;

Frame too_small(Size size, Charset charset) {
  Frame frame(size, charset);
  frame.put(0, 0, fmt::format("needs {} x {}", LivePage::smallest.columns, LivePage::smallest.rows));
  return frame;
}

// Breaks lines of one span between words, so that none is wider than `columns`.
std::vector<Line> wrapped(const std::vector<Line>& lines, std::size_t columns) {
  std::vector<Line> all;
  for (const Line& line : lines) {
    if (line.size() != 1) {
      all.push_back(line);
      continue;
    }
    std::string_view rest = line.front().text;
    std::string text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' ', 1), rest.size());
      const bool has_word = text.find_first_not_of(' ') != std::string::npos;
      if (has_word && width_of(text) + width_of(rest.substr(0, end)) > columns) {
        all.push_back({{std::exchange(text, "  "), line.front().style}});
        if (rest.starts_with(' ')) rest.remove_prefix(1);
        continue;
      }
      text += rest.substr(0, end);
      rest.remove_prefix(end);
    }
    all.push_back({{text, line.front().style}});
  }
  return all;
}

}  // namespace

void LivePage::note(std::string line) {
  notes_.push_back(std::move(line));
  if (notes_.size() > max_notes) notes_.pop_front();
}

void LivePage::press(const Key& key) {
  const std::size_t page_rows = shown_rows_;
  if (key.text == "q") is_over_ = true;
  if (key.text == "p" || key.text == " ") is_paused_ = !is_paused_;
  if (key.name == KeyName::down) ++first_;
  if (key.name == KeyName::up && first_ > 0) --first_;
  if (key.name == KeyName::page_down) first_ += page_rows;
  if (key.name == KeyName::page_up) first_ -= std::min(first_, page_rows);
  if (key.name == KeyName::home) first_ = 0;
  if (key.name == KeyName::end) first_ = all_rows_;  // draw() limits it
}

void LivePage::draw_bar(Frame& frame) const {
  frame.fill(0, Style::bar);
  frame.put(0, 0, fmt::format(" {}  {}{}", title_, short_duration(time()), is_paused_ ? "  paused" : ""),
            Style::bar);
}

void LivePage::draw_foot(Frame& frame, std::size_t row, std::size_t rows, std::size_t count) const {
  frame.fill(row, Style::bar);
  std::string text = " q quit  p pause";
  if (count > rows) text += fmt::format("  up/down: {}-{} of {}", first_ + 1, first_ + rows, count);
  if (const std::string warning = this->warning(); !warning.empty()) text += "  " + warning;
  frame.put(row, 0, text, Style::bar);
}

Frame LivePage::draw(Size size) {
  if (size.rows < smallest.rows || size.columns < smallest.columns) return too_small(size, charset_);
  Frame frame(size, charset_);
  draw_bar(frame);
  const Page page = this->page();
  // The bar, the titles and the foot take three rows; lines, notes and the lines below each take up to half
  // of what is left by those before them.
  std::size_t rows = size.rows - 3;
  const auto take = [&rows](std::size_t wanted) {
    const std::size_t taken = std::min(wanted, rows / 2);
    rows -= taken;
    return taken;
  };
  const std::vector<Line> above_table = wrapped(page.lines, size.columns);
  const std::vector<Line> below_table = wrapped(page.below, size.columns);
  const std::size_t lines = take(above_table.size());
  const std::size_t notes = take(notes_.size());
  const std::size_t below = take(below_table.size());
  shown_rows_ = rows;
  all_rows_ = page.rows.size();
  first_ = std::min(first_, page.rows.size() - std::min(page.rows.size(), rows));
  for (std::size_t i = 0; i < lines; ++i) draw_line(frame, 1 + i, above_table[i]);
  draw_table(frame, 1 + lines, page, first_, rows, std::nullopt, false);
  if (page.rows.empty()) frame.put(2 + lines, 2, page.when_empty, Style::faint, size.columns);
  for (std::size_t i = 0; i < notes; ++i)
    frame.put(2 + lines + rows + i, 1, notes_[notes_.size() - notes + i], Style::bad);
  for (std::size_t i = 0; i < below; ++i) draw_line(frame, 2 + lines + rows + notes + i, below_table[i]);
  draw_foot(frame, size.rows - 1, std::min(rows, page.rows.size()), page.rows.size());
  return frame;
}

}  // namespace eventspace::top
