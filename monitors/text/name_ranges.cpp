#include "monitors/text/name_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {
namespace {

struct Numbered {
  std::string stem;
  std::uint64_t number{0};
};

// "t17" is t and 17. "t017" is not split, because a range could not reproduce the leading zero.
std::optional<Numbered> split_number(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const std::size_t digits = end == std::string::npos ? 0 : end + 1;
  const std::size_t count = name.size() - digits;
  if (count == 0 || count > 18 || (count > 1 && name[digits] == '0')) return std::nullopt;
  return Numbered{name.substr(0, digits), leading_number<std::uint64_t>(name.substr(digits))};
}

bool continues(const std::optional<Numbered>& a, const std::optional<Numbered>& b) {
  return a && b && a->stem == b->stem && a->number + 1 == b->number;
}

}  // namespace

std::string collapse_numbered(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, next = 0; first < names.size(); first = next) {
    auto last = split_number(names[first]);
    for (next = first + 1; next < names.size(); ++next) {
      const auto number = split_number(names[next]);
      if (!continues(last, number)) break;
      last = number;
    }
    const std::string& end = names[next - 1];
    const auto stem = last ? last->stem.rfind(' ') : std::string::npos;
    const std::string shown = stem == std::string::npos ? end : end.substr(stem + 1);
    parts.push_back(next - first > 1 ? names[first] + ".." + shown : names[first]);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string collapse_paths(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::map<std::string, std::vector<std::string>> groups;
  for (const std::string& name : names) {
    const std::size_t slash = name.rfind('/') + 1;  // 0 if there is no slash
    groups[name.substr(0, slash)].push_back(name.substr(slash));
  }
  std::vector<std::string> parts;
  for (const auto& [stem, ends] : groups) {
    const bool together = !stem.empty() && ends.size() > 1;
    const std::string list = fmt::format("{}", fmt::join(ends, together ? "," : ", "));
    parts.push_back(together ? fmt::format("{}{{{}}}", stem, list) : stem + list);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace eventspace
