#include "pathmaps/expansion/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "paths/parameters/glob.h"

namespace eventspace::expansion {

namespace {

// Returns the paths of the selected threads; the globs under `paths:` select from these.
std::vector<PathIndex> paths_of(const std::vector<std::size_t>& threads, const Ground& ground) {
  std::vector<PathIndex> paths;
  for (const auto thread : threads) {
    for (const PathIndex path : ground.paths[thread]) paths.push_back(path);
  }
  return paths;
}

std::vector<PathIndex> matching(const Word& glob, const std::vector<PathIndex>& paths, const Draft& draft) {
  std::vector<PathIndex> matching;
  std::ranges::copy_if(paths, std::back_inserter(matching),
                       [&](PathIndex path) { return glob_match(glob.text, draft.plan.paths[path].name); });
  return matching;
}

std::vector<std::string_view> names_of(const std::vector<PathIndex>& paths, const Draft& draft) {
  std::vector<std::string_view> names;
  names.reserve(paths.size());
  for (const PathIndex path : paths) names.push_back(draft.plan.paths[path].name);
  return names;
}

}  // namespace

Ground application(const Draft& draft) { return {draft.threads.plain(), draft.thread_paths}; }

Selection read_selection(const reading::Mapping& rule) {
  return {rule.words_if_given("threads"), rule.words_if_given("paths")};
}

std::vector<PathIndex> select_paths(const Selection& selection, const Ground& ground, const Draft& draft) {
  auto candidates = paths_of(ground.threads.select(selection.threads, draft.faults), ground);
  if (!selection.paths) return candidates;
  std::vector<PathIndex> selected;
  for (const auto& glob : *selection.paths) {
    if (!check_glob(glob, draft.faults)) continue;
    const auto more = matching(glob, candidates, draft);
    if (!more.empty()) {
      check_ranges(glob, names_of(more, draft), "path of the chosen threads", draft.faults);
    } else if (!candidates.empty()) {
      draft.faults.add(glob.place, fmt::format("'{}' matches no path of the chosen threads", glob.text));
    }
    selected.insert(selected.end(), more.begin(), more.end());
  }
  std::ranges::sort(selected);
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  return selected;
}

std::vector<TraceIndex> select_traces(const reading::Mapping& rule, unsigned default_points,
                                      const Ground& ground, const Draft& draft) {
  Points points(rule);
  std::vector<TraceIndex> traces;
  for (const auto path : select_paths(read_selection(rule), ground, draft)) {
    const unsigned chosen = points.are_given() ? points.on(path, draft) : default_points;
    for (const auto trace : draft.plan.paths[path].traces) {
      if ((chosen & bit_of(draft.plan.traces[trace].point)) != 0) traces.push_back(trace);
    }
  }
  points.check_used(draft);
  return traces;
}

}  // namespace eventspace::expansion
