#include "pathmaps/reading/faults.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace::reading {

std::size_t Faults::add_file(std::string name) {
  files_.push_back(std::move(name));
  return files_.size() - 1;
}

void Faults::add(const Place& place, std::string text) {
  Entry entry{place, std::move(text)};
  if (std::ranges::find(faults_, entry) != faults_.end()) return;
  if (faults_.size() == max_kept) {
    ++more_;
  } else {
    faults_.push_back(std::move(entry));
  }
}

std::string Faults::describe(const Place& place, const Place& seen_from) const {
  if (place.file == seen_from.file) return fmt::format("line {}", place.line);
  return fmt::format("{}:{}", file(place.file), place.line);
}

std::vector<Fault> Faults::report() const {
  auto sorted = faults_;
  std::ranges::sort(sorted);
  const auto reported = std::min(sorted.size(), max_reported);
  std::vector<Fault> faults;
  for (std::size_t i = 0; i < reported; ++i) {
    const auto& [place, text] = sorted[i];
    faults.push_back({file(place.file), place.line, place.column, text});
  }
  const auto left = sorted.size() - reported + more_;
  if (left > 0) faults.push_back({file(0), 0, 0, fmt::format("and {} more faults", left)});
  return faults;
}

}  // namespace eventspace::reading
