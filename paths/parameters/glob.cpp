#include "paths/parameters/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

namespace {

constexpr std::size_t longest = glob_longest;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

/// Parses a number without leading zeros and with at most 18 digits.
std::optional<std::uint64_t> plain_number(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 18 || (digits.size() > 1 && digits.front() == '0'))
    return std::nullopt;
  return number_in<std::uint64_t>(digits);
}

/// "[3-17]" at the head of a pattern.
struct Range {
  std::uint64_t first;
  std::uint64_t last;
  std::size_t length;  ///< in the pattern, brackets included
};

std::optional<Range> range_at(std::string_view pattern, std::size_t at) noexcept {
  const auto close = pattern.find(']', at);
  const auto dash = pattern.find('-', at);
  if (close == std::string_view::npos || dash == std::string_view::npos || dash > close) return std::nullopt;
  const auto first = plain_number(pattern.substr(at + 1, dash - at - 1));
  const auto last = plain_number(pattern.substr(dash + 1, close - dash - 1));
  if (!first || !last || *first > *last) return std::nullopt;
  return Range{*first, *last, close - at + 1};
}

/// The end of the alternatives around `at`: the first '}' that is not opened after `at`; npos outside braces.
std::size_t closing_brace(std::string_view pattern, std::size_t at) noexcept {
  std::size_t open = 0;
  for (; at < pattern.size(); ++at) {
    if (pattern[at] == '{') ++open;
    if (pattern[at] != '}') continue;
    if (open == 0) return at;
    --open;
  }
  return std::string_view::npos;
}

/// Runs the pattern as an automaton: row i of `reached_` holds the positions in the pattern that it can have
/// after i characters. Moves that consume no character only go forward in the pattern, so one ascending sweep
/// of each row finds them all, in time proportional to pattern x text.
class Matcher {
 public:
  Matcher(std::string_view pattern, std::string_view text) noexcept : pattern_(pattern), text_(text) {
    std::fill_n(reached_.begin(), (text.size() + 1) * row_size(), false);
  }

  bool matches() noexcept {
    reach(0, 0);
    for (; text_at_ < text_.size(); ++text_at_) sweep();
    sweep();
    return reached(pattern_.size());
  }

 private:
  void sweep() noexcept {
    for (std::size_t at = 0; at < pattern_.size(); ++at) {
      if (reached(at)) step(at);
    }
  }

  void step(std::size_t at) noexcept {
    switch (pattern_[at]) {
      case '*':
        return star(at);
      case '?':
        return consume(at, !ends() && text_[text_at_] != '/');
      case '[':
        return number(at);
      case '{':
        return alternatives(at);
      case '}':
        return reach(0, at + 1);
      case ',':
        return comma(at);
      default:
        return consume(at, !ends() && text_[text_at_] == pattern_[at]);
    }
  }

  void star(std::size_t at) noexcept {
    const bool any_depth = at + 1 < pattern_.size() && pattern_[at + 1] == '*';
    reach(0, at + (any_depth ? 2 : 1));
    if (!ends() && (any_depth || text_[text_at_] != '/')) reach(1, at);
  }

  void number(std::size_t at) noexcept {
    const auto range = range_at(pattern_, at);
    const auto digits = digits_at(text_, text_at_);
    const auto number = plain_number(text_.substr(text_at_, digits));
    if (range && number && *number >= range->first && *number <= range->last)
      reach(digits, at + range->length);
  }

  void alternatives(std::size_t at) noexcept {
    std::size_t open = 0;
    reach(0, at + 1);
    for (++at; at < pattern_.size() && (open > 0 || pattern_[at] != '}'); ++at) {
      if (pattern_[at] == '{') ++open;
      if (pattern_[at] == '}') --open;
      if (pattern_[at] == ',' && open == 0) reach(0, at + 1);
    }
  }

  void comma(std::size_t at) noexcept {
    const auto close = closing_brace(pattern_, at);
    if (close != std::string_view::npos) return reach(0, close + 1);
    consume(at, !ends() && text_[text_at_] == ',');
  }

  void consume(std::size_t at, bool fits) noexcept {
    if (fits) reach(1, at + 1);
  }
  void reach(std::size_t consumed, std::size_t at) noexcept {
    reached_[(text_at_ + consumed) * row_size() + at] = true;
  }
  [[nodiscard]] bool reached(std::size_t at) const noexcept { return reached_[text_at_ * row_size() + at]; }
  [[nodiscard]] std::size_t row_size() const noexcept { return pattern_.size() + 1; }
  [[nodiscard]] bool ends() const noexcept { return text_at_ == text_.size(); }

  std::string_view pattern_;
  std::string_view text_;
  std::size_t text_at_{0};
  std::array<bool, (longest + 1) * (longest + 1)> reached_;  // only the rows in use are set
};

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  if (pattern.size() > longest || text.size() > longest || !glob_fault(pattern).empty()) return false;
  return Matcher(pattern, text).matches();
}

std::string_view glob_fault(std::string_view pattern) noexcept {
  if (pattern.empty()) return "is empty";
  if (pattern.size() > longest) return "is longer than 256 characters";
  std::size_t open = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == ']') return "has a ']' without a '['";
    if (c == '}' && open == 0) return "has a '}' without a '{'";
    if (c == '{') ++open;
    if (c == '}') --open;
    if (c != '[') continue;
    const auto range = range_at(pattern, at);
    if (!range) return "has a '[' that does not begin a range of numbers such as [0-34]";
    at += range->length - 1;
  }
  return open == 0 ? std::string_view{} : "has a '{' without a '}'";
}

namespace {

// Further alternatives are ignored: adjacent braces multiply.
constexpr std::size_t max_alternatives = 256;

// "{a,b{c,d}}e" without braces: "ae", "bce", "bde". Empty if there are more than max_alternatives. REQUIRES:
// the pattern is valid.
std::vector<std::string> alternatives_of(std::string_view pattern) {
  std::vector<std::string> open{std::string(pattern)};
  std::vector<std::string> plain;
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    const std::size_t begin = next.find('{');
    if (begin == std::string::npos) {
      plain.push_back(next);
    } else {
      const std::size_t end = closing_brace(next, begin + 1);
      std::size_t depth = 0;
      std::size_t from = begin + 1;
      for (std::size_t at = from; at <= end; ++at) {
        if (at == end || (next[at] == ',' && depth == 0)) {
          open.push_back(next.substr(0, begin) + next.substr(from, at - from) + next.substr(end + 1));
          from = at + 1;
        }
        if (next[at] == '{') ++depth;
        if (next[at] == '}') --depth;
      }
    }
    if (open.size() + plain.size() > max_alternatives) return {};
  }
  return plain;
}

// All numbers in a name that a range may match: also "2" of "t12", because "t1[0-3]" matches it.
std::set<std::uint64_t> numbers_of(std::string_view name) {
  std::set<std::uint64_t> numbers;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (const auto number = plain_number(name.substr(at, digits_at(name, at)))) numbers.insert(*number);
  }
  return numbers;
}

// The numbers in names at the place of the range at `at` of `pattern`, which is without braces.
std::set<std::uint64_t> used_numbers(std::string_view pattern, std::size_t at, const Range& range,
                                     std::span<const std::string_view> names) {
  std::set<std::uint64_t> used;
  for (const std::string_view name : names) {
    if (used.size() > range.last - range.first) break;  // all of them
    for (const std::uint64_t number : numbers_of(name)) {
      if (number < range.first || number > range.last || used.contains(number)) continue;
      std::string narrowed(pattern);
      narrowed.replace(at, range.length, fmt::format("[{0}-{0}]", number));
      if (glob_match(narrowed, name)) used.insert(number);
    }
  }
  return used;
}

std::optional<UnusedNumber> unused_number_in(const std::string& pattern,
                                             std::span<const std::string_view> names) {
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '[') continue;
    const Range range = *range_at(pattern, at);  // because the pattern is valid
    std::uint64_t unused = range.first;
    for (const std::uint64_t used : used_numbers(pattern, at, range, names)) {
      if (used != unused) break;
      ++unused;
    }
    if (unused <= range.last) return UnusedNumber{unused, pattern.substr(at, range.length)};
    at += range.length - 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnusedNumber> unused_number(std::string_view pattern, std::span<const std::string_view> names) {
  if (!glob_fault(pattern).empty()) return std::nullopt;
  for (const std::string& alternative : alternatives_of(pattern)) {
    if (auto unused = unused_number_in(alternative, names)) return unused;
  }
  return std::nullopt;
}

}  // namespace eventspace
