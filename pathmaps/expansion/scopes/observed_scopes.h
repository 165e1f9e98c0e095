#pragma once

// Private to pathmaps/.

#include <vector>

#include "pathmaps/expansion/selection.h"

namespace eventspace::expansion {

/// The ground of a scope that looks at other scopes (`of:`): the threads that stand for the parts of these,
/// and their paths.
class ObservedScopes {
 public:
  /// Those of `scopes`, by name, whose parts are planned already.
  ObservedScopes(const std::vector<Word>& scopes, const Draft& draft);

  [[nodiscard]] Ground ground() const { return {threads_, paths_}; }

 private:
  NameIndex threads_{"part of the observed scopes"};
  std::vector<IndexRange<PathPlan>> paths_;  ///< beside threads_
};

}  // namespace eventspace::expansion
