#pragma once

#include <span>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/expansion/points.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The set from which globs select: users of paths by name, and the paths of each. The numbers in `threads`
/// are positions in `paths`, not indexes of the plan. Does not own its members.
struct Ground {
  const NameIndex& threads;
  std::span<const IndexRange<PathPlan>> paths;
};
/// Returns the threads of the application and the joints of its collectives.
Ground application(const Draft& draft);

/// The keys `threads:` and `paths:` of a rule: globs that select paths. A missing key selects all.
struct Selection {
  std::optional<std::vector<Word>> threads;
  std::optional<std::vector<Word>> paths;
};
Selection read_selection(const reading::Mapping& rule);

/// Returns the selected paths, ascending. Reports globs that match nothing.
std::vector<PathIndex> select_paths(const Selection& selection, const Ground& ground, const Draft& draft);

/// Returns the trace elements that `threads:`, `paths:` and `at:` of a rule select, ascending. Reports points
/// that none of the selected paths has. `default_points`, a bit set, is used if the rule has no `at:`.
std::vector<TraceIndex> select_traces(const reading::Mapping& rule, unsigned default_points,
                                      const Ground& ground, const Draft& draft);

}  // namespace eventspace::expansion
