#include "pathmaps/expansion/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "paths/glob.h"

namespace eventspace::expansion {

namespace {

constexpr std::array<std::pair<std::string_view, CollectPoint>, 2> point_words{
    {{"thread", CollectPoint::thread}, {"element", CollectPoint::element}}};

/// Adds the paths of `thread` that `glob` matches; false when there are none.
bool add_matching(const Word& glob, std::size_t thread, const Draft& draft,
                  std::vector<std::size_t>& selected) {
  const auto range = draft.thread_paths[thread];
  const auto before = selected.size();
  for (auto path = range.begin; path < range.end; ++path) {
    if (glob_match(glob.text, draft.plan.paths[path].name)) selected.push_back(path);
  }
  return selected.size() > before;
}

}  // namespace

Selection read_selection(const reading::Mapping& rule) {
  return {rule.words("threads", "*"), rule.words("paths", "**")};
}

std::vector<std::size_t> select_paths(const Selection& selection, const Draft& draft) {
  const auto threads = draft.threads.select(selection.threads, draft.faults);
  std::vector<std::size_t> selected;
  for (const auto& glob : selection.paths) {
    if (!check_glob(glob, draft.faults)) continue;
    bool any = false;
    for (const auto thread : threads) any = add_matching(glob, thread, draft, selected) || any;
    if (!any && !threads.empty())
      draft.faults.add(glob.place, fmt::format("'{}' matches no path of the {} chosen threads", glob.text,
                                               threads.size()));
  }
  std::ranges::sort(selected);
  const auto repeated = std::ranges::unique(selected);
  selected.erase(repeated.begin(), repeated.end());
  return selected;
}

std::optional<unsigned> read_points(const reading::Mapping& rule) {
  if (rule.find("at") == nullptr) return std::nullopt;
  unsigned points = 0;
  bool well = true;
  for (const auto& word : rule.words("at")) {
    const auto point = rule.choose(word, "at", point_words);
    well = well && point.has_value();
    if (point) points |= bit_of(*point);
  }
  if (!well) return std::nullopt;
  return points;
}

}  // namespace eventspace::expansion
