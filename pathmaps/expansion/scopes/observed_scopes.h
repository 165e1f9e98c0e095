#pragma once

#include <vector>

#include "pathmaps/expansion/selection.h"

namespace eventspace::expansion {

/// The set from which a scope that observes other scopes (`of:`) selects: the users that represent the parts
/// of these scopes, and their paths.
class ObservedScopes {
 public:
  /// `scopes`: the names of the observed scopes. REQUIRES: their parts are in the plan.
  ObservedScopes(const std::vector<Word>& scopes, const Draft& draft);

  [[nodiscard]] Ground ground() const { return {threads_, paths_}; }

 private:
  NameIndex threads_{"part of the observed scopes"};
  std::vector<IndexRange<PathPlan>> paths_;  ///< one range for each number in threads_
};

}  // namespace eventspace::expansion
