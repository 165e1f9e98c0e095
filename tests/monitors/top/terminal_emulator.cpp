#include "tests/monitors/top/terminal_emulator.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

namespace eventspace::testing_commands {
namespace {

std::vector<std::size_t> numbers_in(const std::string& parameters) {
  std::vector<std::size_t> numbers;
  std::istringstream stream(parameters);
  for (std::string part; std::getline(stream, part, ';');) {
    std::size_t number = 0;
    std::from_chars(part.data(), part.data() + part.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

std::size_t bytes_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

}  // namespace

void TerminalEmulator::resize(std::size_t rows, std::size_t columns) {
  rows_ = rows;
  columns_ = columns;
  for (Picture* const page : {&picture_, &first_page_}) {
    page->resize(rows);
    for (auto& line : *page) line.resize(columns);
  }
  row_ = std::min(row_, rows - 1);
  column_ = std::min(column_, columns - 1);
  first_page_row_ = std::min(first_page_row_, rows - 1);
  first_page_column_ = std::min(first_page_column_, columns - 1);
  is_beyond_ = false;
}

void TerminalEmulator::feed(const std::string& bytes) {
  for (const char byte : bytes) take(byte);
}

void TerminalEmulator::take(char byte) {
  pending_ += byte;
  if (pending_[0] != '\x1b') {
    if (pending_.size() < bytes_of(pending_[0])) return;
    put(std::exchange(pending_, ""));
  } else if (pending_.size() > 2 && byte >= '@' && byte <= '~') {
    obey(std::exchange(pending_, ""));
  } else if (pending_.size() == 2 && byte != '[') {
    faults_.push_back(std::exchange(pending_, ""));
  }
}

void TerminalEmulator::next_line() {
  if (++row_ < rows_) return;
  row_ = rows_ - 1;
  picture_.erase(picture_.begin());
  picture_.emplace_back(columns_);
}

void TerminalEmulator::put(const std::string& character) {
  if (character == "\r") {
    column_ = 0;
  } else if (character == "\n") {
    next_line();
  } else if (character == "\b") {
    column_ -= column_ > 0 ? 1 : 0;
  } else if (static_cast<unsigned char>(character[0]) >= 0x20) {
    ++characters_;
    if (is_beyond_ && wraps_) {
      column_ = 0;
      next_line();
    }
    picture_[row_][column_] = {character, is_reversed_};
    is_beyond_ = column_ + 1 == columns_;
    column_ += is_beyond_ ? 0 : 1;
    return;
  }
  is_beyond_ = false;
}

void TerminalEmulator::obey(const std::string& sequence) {
  const std::string parameters = sequence.substr(2, sequence.size() - 3);
  const char what = sequence.back();
  if (what == 'H') {
    const auto place = numbers_in(parameters);
    is_beyond_ = false;
    row_ = std::min(place.empty() ? 0 : place[0] - 1, rows_ - 1);
    column_ = std::min(place.size() < 2 ? 0 : place[1] - 1, columns_ - 1);
  } else if (what == 'm') {
    set_look(parameters);
  } else if (what == 'h' || what == 'l') {
    set_mode(parameters, what == 'h');
  } else {
    erase(parameters, what, sequence);
  }
}

void TerminalEmulator::set_look(const std::string& parameters) {
  for (const std::size_t number : numbers_in(parameters)) {
    if (number == 0) is_reversed_ = false;
    if (number == 7) is_reversed_ = true;
    if (number >= 30 && number < 50) has_colour_ = true;
  }
}

void TerminalEmulator::set_mode(const std::string& mode, bool on) {
  if (mode == "?25") {
    has_cursor_ = on;
  } else if (mode == "?1049" && on != second_page_) {
    std::swap(picture_, first_page_);
    std::swap(row_, first_page_row_);
    std::swap(column_, first_page_column_);
    is_beyond_ = false;
    second_page_ = on;
  } else if (mode == "?7") {
    wraps_ = on;
  } else if (mode != "?1049" && mode != "?2004") {
    faults_.push_back("mode " + mode);
  }
}

void TerminalEmulator::erase(const std::string& parameters, char what, const std::string& sequence) {
  if (what == 'J' && parameters == "2") {
    for (auto& line : picture_) line.assign(columns_, Cell{});
  } else if (what == 'K' && parameters.empty()) {
    std::fill(picture_[row_].begin() + static_cast<std::ptrdiff_t>(column_), picture_[row_].end(), Cell{});
  } else {
    faults_.push_back(sequence);
  }
}

std::string TerminalEmulator::row(std::size_t number) const {
  std::string text;
  for (const Cell& cell : picture_[number]) text += cell.character;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string TerminalEmulator::text() const {
  std::string text;
  for (std::size_t number = 0; number < rows_; ++number) text += row(number) + '\n';
  return text;
}

std::size_t TerminalEmulator::reversed_row() const {
  for (std::size_t number = 1; number < rows_; ++number) {
    if (picture_[number][0].is_reversed) return number;
  }
  return rows_;
}

}  // namespace eventspace::testing_commands
