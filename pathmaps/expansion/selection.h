#pragma once

// Private to pathmaps/.

#include <span>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// What globs choose from: users of paths by name, and the paths of each. The numbers of `threads` are
/// positions in `paths`, not indexes of the plan. A view.
struct Ground {
  const NameIndex& threads;
  std::span<const IndexRange<PathPlan>> paths;
};
/// The application, and the joints of its collectives.
Ground application(const Draft& draft);

/// `threads:` and `paths:` of a rule: globs that choose paths. Each that is not there chooses all.
struct Selection {
  std::optional<std::vector<Word>> threads;
  std::optional<std::vector<Word>> paths;
};
Selection read_selection(const reading::Mapping& rule);

/// The numbers of the chosen paths, ascending. A glob that chooses nothing is a fault.
std::vector<PathIndex> select_paths(const Selection& selection, const Ground& ground, const Draft& draft);

/// `at: [thread, element]`, as one bit a point: 1 << CollectPoint. Nothing after a fault, or without the key.
std::optional<unsigned> read_points(const reading::Mapping& rule);
constexpr unsigned bit_of(CollectPoint point) { return 1U << static_cast<unsigned>(point); }
inline constexpr unsigned both_points = bit_of(CollectPoint::thread) | bit_of(CollectPoint::element);

/// The numbers of the trace elements that `threads:`, `paths:` and `at:` of a rule choose, ascending; at
/// `default_points` when it does not say.
std::vector<TraceIndex> select_traces(const reading::Mapping& rule, unsigned default_points,
                                      const Ground& ground, const Draft& draft);

}  // namespace eventspace::expansion
