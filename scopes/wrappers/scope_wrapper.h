#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// What a scope wrapper does to the view that its children's views make together. Pure: no socket, no
/// clock.
class ViewOperator {
 public:
  virtual ~ViewOperator() = default;
  virtual void apply(View& view) = 0;
  /// False: it neither looks at records nor adds, drops or moves any. Some may be in View::blocks when it is
  /// applied, and some may have gone ahead (Pull::ahead).
  [[nodiscard]] virtual bool acts_on_records() const noexcept { return true; }
};

/// A scope wrapper, registered by name: what a pathmap may put on a level of a scope.
struct ScopeWrapperInfo {
  std::string name;
  std::string help;
  bool combines{false};  ///< takes any number of children (gather, merge, reduce); else exactly one
  std::vector<ParameterSpec> parameters;
  /// Makes the operator; `given` is complete and checked; `names` outlives it. May throw ConfigurationError.
  std::function<std::unique_ptr<ViewOperator>(const Parameters& given, const PlanNames& names)> make;
  /// Of one that combines, and that may act on parts of its children first, and then on what these yield: the
  /// parameters for the parts, with which the whole is as if it had acted once. Empty: it must act once.
  std::function<Parameters(Parameters given)> in_parts{};
  /// Of one that is not trusted to return or not to throw: how long it may take for a view. It acts in a
  /// thread of its own, and who is late or throws is named in View::missing. Nothing: it acts where it
  /// stands.
  std::optional<std::chrono::nanoseconds> limit{};
};

}  // namespace eventspace
