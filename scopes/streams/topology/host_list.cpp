#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <eventspace/error.h>
#include <eventspace/topology.h>

namespace eventspace::streams {
namespace {

/// Parses the host names of one text, and reports the place of a fault.
class HostList {
 public:
  HostList(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  std::vector<std::string> read() {
    while (skip_blanks()) read_name();
    return std::move(hosts_);
  }

 private:
  static constexpr std::string_view blanks = " \t\r\n,";

  bool skip_blanks() {
    while (at_ < text_.size() && (blanks.find(text_[at_]) != std::string_view::npos || text_[at_] == '#')) {
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
    return at_ < text_.size();
  }

  // Parses a name as text between brackets: each bracket multiplies the names so far.
  void read_name() {
    std::vector<std::string> names{{}};
    while (at_ < text_.size() && blanks.find(text_[at_]) == std::string_view::npos && text_[at_] != '#') {
      const std::vector<std::string> ends =
          text_[at_] == '[' ? read_bracket() : std::vector{std::string(1, read_letter())};
      if (names.size() * ends.size() > Topology::max_processes) fail("the list has too many hosts");
      std::vector<std::string> longer;
      for (const std::string& name : names) {
        for (const std::string& end : ends) longer.push_back(name + end);
      }
      names = std::move(longer);
    }
    hosts_.insert(hosts_.end(), names.begin(), names.end());
    if (hosts_.size() > Topology::max_processes) fail("the list has too many hosts");
  }

  char read_letter() {
    const char c = text_[at_];
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '.' || c == '-' || c == '_';
    if (!allowed) fail(fmt::format("a host name has the character '{}'", c));
    ++at_;
    return c;
  }

  std::vector<std::string> read_bracket() {
    std::vector<std::string> ends;
    do {
      ++at_;
      read_range(ends);
    } while (at_ < text_.size() && text_[at_] == ',');
    if (at_ >= text_.size() || text_[at_] != ']') fail("a '[' is not closed by ']'");
    ++at_;
    return ends;
  }

  void read_range(std::vector<std::string>& ends) {
    const std::string_view first = read_digits();
    std::string_view last = first;
    if (at_ < text_.size() && text_[at_] == '-') {
      ++at_;
      last = read_digits();
    }
    const std::size_t from = value_of(first);
    const std::size_t to = value_of(last);
    if (to < from || to - from >= Topology::max_processes)
      fail(fmt::format("'{}-{}' is not a range of numbers", first, last));
    for (std::size_t i = from; i <= to; ++i) ends.push_back(fmt::format("{:0{}}", i, first.size()));
  }

  std::string_view read_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (begin == at_ || at_ - begin > 9) fail("a bracket holds numbers and ranges of them, such as [1-3,07]");
    return text_.substr(begin, at_ - begin);
  }
  static std::size_t value_of(std::string_view digits) {
    std::size_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  [[noreturn]] void fail(const std::string& text) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
    throw ConfigurationError(fmt::format("{}:{}:{}: error: {}", source_, line, at_ - line_begin + 1, text));
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_{0};
  std::vector<std::string> hosts_;
};

}  // namespace

std::vector<std::string> parse_hosts(std::string_view text, std::string_view source) {
  return HostList(text, source).read();
}

}  // namespace eventspace::streams
