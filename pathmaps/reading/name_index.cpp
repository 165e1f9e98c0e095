#include "pathmaps/reading/name_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "paths/parameters/glob.h"
#include "paths/parameters/nearest.h"

namespace eventspace::reading {

namespace {

bool is_pattern(std::string_view text) { return text.find_first_of("*?[]{}") != std::string_view::npos; }

}  // namespace

std::optional<std::size_t> NameIndex::add(const Word& name, Faults& faults) {
  const auto [found, added] = numbers_.emplace(name.text, names_.size());
  if (added) {
    names_.push_back(name);
    return names_.size() - 1;
  }
  faults.add(name.place, fmt::format("duplicate {} '{}'; first given in {}", kind_, name.text,
                                     faults.describe(names_[found->second].place, name.place)));
  return std::nullopt;
}

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> NameIndex::require(const Word& name, Faults& faults) const {
  const auto found = find(name.text);
  if (!found) fault_unknown(name, fmt::format("unknown {} '{}'", kind_, name.text), faults);
  return found;
}

std::vector<std::size_t> NameIndex::select(const Word& glob, Faults& faults) const {
  if (!check_glob(glob, faults)) return {};
  if (!is_pattern(glob.text)) {
    const auto found = require(glob, faults);
    return found ? std::vector<std::size_t>{*found} : std::vector<std::size_t>{};
  }
  std::vector<std::size_t> selected;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!glob_match(glob.text, names_[i].text)) continue;
    selected.push_back(i);
    names.push_back(names_[i].text);
  }
  if (selected.empty()) {
    fault_unknown(glob, fmt::format("'{}' matches no {}", glob.text, kind_), faults);
  } else {
    check_ranges(glob, names, kind_, faults);
  }
  return selected;
}

std::vector<std::size_t> NameIndex::select(const std::vector<Word>& globs, Faults& faults) const {
  std::vector<std::size_t> selected;
  for (const auto& glob : globs) {
    const auto more = select(glob, faults);
    selected.insert(selected.end(), more.begin(), more.end());
  }
  std::ranges::sort(selected);
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  return selected;
}

std::vector<std::size_t> NameIndex::select(const std::optional<std::vector<Word>>& globs,
                                           Faults& faults) const {
  if (globs) return select(*globs, faults);
  std::vector<std::size_t> all(names_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void NameIndex::fault_unknown(const Word& name, std::string_view text, Faults& faults) const {
  const std::vector<std::string_view> known = [this] {
    std::vector<std::string_view> views;
    for (const auto& word : names_) views.push_back(word.text);
    return views;
  }();
  faults.add(name.place, fmt::format("{}{}", text, hint(name.text, known, 8)));
}

bool check_glob(const Word& glob, Faults& faults) {
  const auto fault = glob_fault(glob.text);
  if (!fault.empty())
    faults.add(glob.place, fmt::format("the pattern '{}' {}", glob.text.substr(0, glob_longest), fault));
  return fault.empty();
}

void check_ranges(const Word& glob, const std::vector<std::string_view>& names, std::string_view of,
                  Faults& faults) {
  if (const auto unused = unused_number(glob.text, names))
    faults.add(glob.place, fmt::format("'{}' matches no {} for the number {} of {}", glob.text, of,
                                       unused->number, unused->range));
}

bool any_match(const std::vector<Word>& globs, std::string_view text) {
  return std::ranges::any_of(globs, [text](const Word& glob) { return glob_match(glob.text, text); });
}

}  // namespace eventspace::reading
