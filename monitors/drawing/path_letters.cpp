#include "monitors/drawing/path_letters.h"

#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/name_ranges.h"

namespace eventspace {
namespace {

constexpr std::size_t short_enough = 8;
constexpr std::size_t max_letters = 26;
constexpr std::size_t key_width = 110;  // characters of a line of the key, in the small font of a heading

// collapse_paths() joins the parts with ", ", and the names within a part with "," alone.
std::vector<std::string> parts_of(const std::vector<std::string>& names) {
  const std::string all = collapse_paths(names);
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < all.size();) {
    const std::size_t end = std::min(all.find(", ", start), all.size());
    parts.push_back(all.substr(start, end - start));
    start = end + 2;
  }
  return parts;
}

}  // namespace

void PathLetters::add(const std::vector<std::string>& names) {
  for (const std::string& part : parts_of(names)) {
    if (part.size() <= short_enough || letters_.contains(part) || in_order_.size() == max_letters) continue;
    letters_.emplace(part, std::string(1, static_cast<char>('a' + in_order_.size())));
    in_order_.push_back(part);
  }
}

std::string PathLetters::text_of(const std::vector<std::string>& names) const {
  std::string text;
  for (const std::string& part : parts_of(names)) {
    const auto letter = letters_.find(part);
    text += (text.empty() ? "" : ", ") + (letter == letters_.end() ? part : letter->second);
  }
  return text;
}

std::vector<std::string> PathLetters::key() const {
  std::vector<std::string> lines;
  for (const std::string& part : in_order_) {
    const std::string entry = fmt::format("{}: {}", letters_.at(part), part);
    if (lines.empty() || lines.back().size() + entry.size() > key_width)
      lines.push_back(entry);
    else
      lines.back() += "    " + entry;
  }
  return lines;
}

}  // namespace eventspace
