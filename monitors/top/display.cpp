#include "monitors/top/display.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include <eventspace/error.h>
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"

namespace eventspace::top {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "PLAYS 2x 12.3s of 95.0s"
std::string playback_words(const Playback& playback) {
  const std::string pace =
      !playback.plays() ? "PAUSED"
                        : (playback.is_at_end() ? "END" : fmt::format("PLAYS {:g}x", playback.speed()));
  return fmt::format("{} {} of {}", pace, short_duration(playback.position()),
                     short_duration(playback.length()));
}

}  // namespace

Display::Display(const Plan& plan, const PlanNames& names, std::string title, Charset charset)
    : context_{&plan, &names}, title_(std::move(title)), charset_(charset) {
  for (auto& screen : all_screens(plan)) {
    const std::size_t sorted = screen->sorted_by();
    screens_.push_back({std::move(screen), sorted});
  }
}

void Display::sort_by(const std::string& title, bool reversed) {
  Open& first = screens_.front();
  std::vector<std::string> known;
  const Page page = first.screen->page(State{}, context_);
  for (std::size_t i = 0; i < page.columns.size(); ++i) {
    if (!page.columns[i].can_sort) continue;
    known.push_back(lower(page.columns[i].title));
    if (known.back() != title) continue;
    first.sorted = i;
    first.is_reversed = reversed;
    return;
  }
  throw ConfigurationError(fmt::format("cannot sort by '{}'; known: {}", title, fmt::join(known, ", ")));
}

void Display::filter_by(const std::string& text) { context_.filter = ThreadFilter(text, *context_.names); }

std::size_t Display::Open::row_of_cursor(const Page& page) const {
  const auto found =
      std::find_if(page.rows.begin(), page.rows.end(), [&](const Row& row) { return row.id == cursor; });
  return found == page.rows.end() ? 0 : static_cast<std::size_t>(found - page.rows.begin());
}

Page Display::page_of(const Open& shown, const State& state) const {
  Page page = shown.screen->page(state, context_);
  sort_rows(page, shown.sorted, shown.is_reversed);
  return page;
}

Frame Display::draw(const State& state, Size size) {
  Frame frame(size, charset_);
  if (size.rows < smallest.rows || size.columns < smallest.columns) {
    frame.put(0, 0, fmt::format("too small: {}x{}", size.columns, size.rows), Style::strong);
    frame.put(1, 0, fmt::format("top needs {}x{}", smallest.columns, smallest.rows));
    frame.put(2, 0, "q quits");
    return frame;
  }
  if (playback_ != nullptr) context_.when = format_realtime(playback_->realtime_ns()).substr(11, 10);
  const Page page = page_of(open(), state);
  std::size_t row = 1;
  const auto draw_lines = [&](const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (row + 4 < size.rows) draw_line(frame, row++, line);  // leaves room for some rows of the table
    }
  };
  draw_lines(status_lines(state, context_));
  if (is_helping_) {
    draw_help(frame, row);
  } else {
    draw_lines(page.lines);
    draw_rows(frame, row, page);
  }
  draw_bar(frame, page);
  draw_keys(frame, page);
  return frame;
}

void Display::draw_rows(Frame& frame, std::size_t row, const Page& page) {
  Open& shown = open();
  page_rows_ = frame.size().rows - row - 2;
  const std::size_t cursor = shown.row_of_cursor(page);
  const std::size_t last_first = page.rows.size() - std::min(page.rows.size(), page_rows_);
  shown.first = std::min({shown.first, cursor, last_first});
  if (cursor >= shown.first + page_rows_) shown.first = cursor + 1 - page_rows_;
  draw_table(frame, row, page, shown.first, page_rows_, shown.sorted, shown.is_reversed);
  if (page.rows.empty()) {
    frame.put(row + 1, 2, page.when_empty, Style::faint);
  } else {
    frame.choose(row + 1 + cursor - shown.first);
  }
}

std::string Display::bar_words(const Page& page) const {
  const std::string& filter = context_.filter.text();
  std::string words = filter.empty() ? "" : fmt::format("filter: {}  ", filter);
  if (is_paused_) words += "PAUSED  ";
  if (playback_ != nullptr) words += playback_words(*playback_) + "  ";
  const std::size_t last = std::min(page.rows.size(), open().first + page_rows_);
  if (last > 0) words += fmt::format("{}-{} of {} ", open().first + 1, last, page.rows.size());
  return words;
}

void Display::draw_bar(Frame& frame, const Page& page) const {
  frame.fill(0, Style::bar);
  std::string screens;
  for (std::size_t i = 0; i < screens_.size(); ++i) {
    const bool is_open = i == current_;
    screens += fmt::format(" {}{}:{}{}", is_open ? '[' : ' ', i + 1, screens_[i].screen->name(),
                           is_open ? ']' : ' ');
  }
  const std::string right = bar_words(page);
  const std::size_t width = frame.size().columns;
  const std::size_t room = std::min(width_of(right), width / 2);
  // The title is shortened in favour of the screens, which have the numbers of their keys.
  const std::size_t most = width - std::min(width, room + width_of(screens));
  const std::size_t used = frame.put(0, 0, " " + title_ + " ", Style::bar, most);
  frame.put(0, used, screens, Style::bar, width - room - used);
  frame.put(0, width - room, right, Style::bar, room);
}

// Shows the end of a text that is longer than the line; an error in it is shown in the line above.
void Display::draw_prompt(Frame& frame, std::size_t row) const {
  const bool is_filter = prompt_->asked_for == Prompt::For::filter;
  const std::string_view hint =
      is_filter ? "  Enter: glob or expression; Esc: cancel" : "  Enter: 95s, 12:03:04 or a date and a time";
  const std::size_t width = frame.size().columns;
  const std::size_t room = width - 12;
  std::string text = prompt_->text;
  if (width_of(text) > room) text = "…" + text.substr(text.size() - room);
  const std::size_t column =
      frame.put(row, 0, (is_filter ? " filter: " : " go to: ") + text + "_", Style::bar);
  if (width - column >= hint.size()) frame.put(row, column, hint, Style::bar);
  if (prompt_->fault.empty()) return;
  frame.put(row - 1, 0, std::string(width, ' '));
  frame.put(row - 1, 1, prompt_->fault, Style::bad);
}

void Display::draw_keys(Frame& frame, const Page& page) const {
  const std::size_t row = frame.size().rows - 1;
  frame.fill(row, Style::bar);
  if (prompt_) {
    draw_prompt(frame, row);
    return;
  }
  std::vector<std::string> keys{"q quit", "? help"};
  if (!entered_.empty()) keys.emplace_back("Esc back");
  if (!page.enters.empty()) keys.push_back("Enter " + page.enters);
  if (playback_ != nullptr) {
    keys.insert(keys.end(),
                {"/ filter", playback_->plays() ? "p pause" : "p play", "[ ] seek", "+ - speed", "g go to"});
  } else {
    keys.insert(keys.end(), {"s sort", "r reverse", "/ filter"});
    if (entered_.empty()) keys.emplace_back("Tab screen");
    keys.emplace_back(is_paused_ ? "p resume" : "p pause");
  }
  frame.put(row, 0, fmt::format(" {}", fmt::join(keys, "  ")), Style::bar);
}

void Display::draw_help(Frame& frame, std::size_t row) const {
  std::vector<std::string> names;
  for (const Open& one : screens_) names.push_back(one.screen->name());
  std::vector<std::string> help{
      "up down pgup pgdn home end  move; the cursor stays on its thread",
      "Enter                       a thread's paths; the peer of a path",
      "Esc                         back; on the first screen: clear the filter",
      fmt::format("Tab, 1 to {}                 {}", screens_.size(), fmt::join(names, ", ")),
      "s, r                        sort by the next column; reverse the order",
      "/                           filter by a glob such as t[0-9], or an expression",
      "                            such as duration > 20ms or in_flight",
      "p, space                    pause or resume",
      "!                           marks a stalled thread that waits for no other",
      "EVENTS/S                    events since the previous pull",
      "SILENT                      time since the last event began or ended",
      "CPU, S                      share of one processor; kernel state, as in ps",
      "ENDED, TOOK, IN FOR         last event: age, duration; time in this operation",
      "KEPT                        how long events are kept before they are discarded",
      "any key                     back"};
  if (playback_ != nullptr) {
    help.insert(help.end() - 1, {"[ ] , . { }                 back and forward: 10 s, 1 s, 1 min",
                                 "+, -                        play twice as fast, half as fast",
                                 "g                           go to a time"});
  }
  for (std::size_t i = 0; i < help.size() && row + i + 1 < frame.size().rows; ++i)
    frame.put(row + i, 1, help[i]);
}

std::string Display::lines(const State& state, std::size_t most) const {
  constexpr std::size_t width = 240;
  const Page page = page_of(screens_.front(), state);
  const std::vector<Line> status = status_lines(state, context_);
  const std::size_t shown = most == 0 ? page.rows.size() : std::min(most, page.rows.size());
  Frame frame({status.size() + 1 + shown, width}, charset_);
  for (std::size_t i = 0; i < status.size(); ++i) draw_line(frame, i, status[i]);
  draw_table(frame, status.size(), page, 0, shown, screens_.front().sorted, screens_.front().is_reversed);
  if (shown == page.rows.size()) return frame.text();
  return frame.text() + fmt::format("  and {} (--limit 0 shows all, --filter chooses)\n",
                                    counted(page.rows.size() - shown, "more thread"));
}

}  // namespace eventspace::top
