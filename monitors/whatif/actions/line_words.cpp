#include "monitors/whatif/actions/line_words.h"

#include <fmt/format.h>

#include <istream>
#include <limits>
#include <utility>

#include <eventspace/error.h>
#include "monitors/whatif/actions/amounts.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::whatif {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Overlong lines are cut, so that a file without newlines cannot fill memory.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf* const buffer = in.rdbuf();
  int c = buffer->sbumpc();
  if (c == std::char_traits<char>::eof()) return false;
  for (; c != std::char_traits<char>::eof() && c != '\n'; c = buffer->sbumpc()) {
    if (line.size() > LineWords::longest_line) return true;
    line.push_back(static_cast<char>(c));
  }
  return true;
}

}  // namespace

LineWords::LineWords(std::istream& in, std::string source) : in_(&in), source_(std::move(source)) {}

void LineWords::refuse(const std::string& what) const {
  throw ConfigurationError(fmt::format("{}:{}: {}", source_, line_, what));
}

bool LineWords::next_line() {
  while (read_line(*in_, text_)) {
    if (line_ == std::numeric_limits<std::uint32_t>::max()) refuse("the file has too many lines");
    ++line_;
    if (text_.size() > longest_line) refuse(fmt::format("the line is longer than {} bytes", longest_line));
    words_.clear();
    next_ = 0;
    const std::string_view text(text_);
    for (std::size_t at = 0; at < text.size();) {
      if (is_blank(text[at])) {
        ++at;
        continue;
      }
      if (text[at] == '#') break;
      const std::size_t begin = at;
      while (at < text.size() && !is_blank(text[at])) ++at;
      words_.push_back(text.substr(begin, at - begin));
    }
    if (!words_.empty()) return true;
  }
  return false;
}

std::string_view LineWords::word(std::string_view what) {
  if (!has_more()) refuse(fmt::format("the line ends; expected {}", what));
  return words_[next_++];
}

std::uint64_t LineWords::whole(std::string_view what, std::uint64_t most) {
  const std::string_view text = word(what);
  const auto value = number_in<std::uint64_t>(text);
  if (!value || *value > most)
    refuse(fmt::format("found '{}'; expected {}, a whole number up to {}", escaped(text), what, most));
  return *value;
}

std::uint32_t LineWords::number(std::string_view what) {
  return static_cast<std::uint32_t>(whole(what, std::numeric_limits<std::uint32_t>::max()));
}

double LineWords::real(std::string_view what) {
  const std::string_view text = word(what);
  const auto value = real_from(text);
  if (!value || *value < 0)
    refuse(fmt::format("found '{}'; expected {}, a number that is not negative", escaped(text), what));
  return *value;
}

Picoseconds LineWords::time(std::string_view what) {
  const std::string_view text = word(what);
  const auto value = time_from(text);
  if (!value)
    refuse(fmt::format("found '{}'; expected {}, a duration such as 3.5us, shorter than 53 days",
                       escaped(text), what));
  return *value;
}

std::uint64_t LineWords::bytes(std::string_view what) {
  const std::string_view text = word(what);
  const auto value = bytes_from(text);
  if (!value || *value > std::numeric_limits<std::int64_t>::max())
    refuse(
        fmt::format("found '{}'; expected {}, a number of bytes such as 1460 or 64KiB", escaped(text), what));
  return *value;
}

void LineWords::expect_end() {
  if (has_more()) refuse(fmt::format("found '{}'; expected the end of the line", escaped(peek())));
}

}  // namespace eventspace::whatif
