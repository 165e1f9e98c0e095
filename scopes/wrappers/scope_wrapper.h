#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/extend.h>
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The operation of a scope wrapper at one node of a scope's tree: it changes the joined view of the node's
/// children in place. It must count the records that it drops in View::loss.
///
/// An operator is pure: it uses no socket and no clock, and must not block. It is used by one thread at a
/// time and may keep state from view to view. It may throw only if its wrapper has a `limit` (see below).
///
///     class FirstHundred final : public ViewOperator {
///       void apply(View& view) override {
///         if (view.records.size() <= 100) return;
///         view.loss.filtered += view.records.size() - 100;
///         view.records.resize(100);
///       }
///     };
class ViewOperator {
 public:
  virtual ~ViewOperator() = default;
  virtual void apply(View& view) = 0;
  /// Returns false if apply neither reads, adds, drops nor moves records. Records may then have
  /// been sent ahead (Pull::ahead) when apply is called.
  [[nodiscard]] virtual bool acts_on_records() const noexcept { return true; }
  /// Called before each view: whether the last view arrived at the level above. If it did not, the records of
  /// its unread events are sent again. For operators whose state between views depends on this.
  virtual void settle(bool /*arrived*/) {}
};

/// Describes a scope wrapper, which pathmaps put on a level of a scope by its name. Add it to
/// ScopeWrapperRegistry (scope_wrappers.h), or export it from a shared object (plugin.h).
///
///     ScopeWrapperInfo info{"first-hundred", "keeps the first hundred events", false, {}};
///     info.make = [](const auto&, const auto&) { return std::make_unique<FirstHundred>(); };
///     ScopeWrapperRegistry::instance().add(std::move(info));
struct ScopeWrapperInfo {
  std::string name;
  std::string help;
  bool combines{false};  ///< true: takes any number of children (gather, merge, reduce); false: exactly one
  std::vector<ParameterSpec> parameters;
  /// Makes an operator. `given` is complete and checked against `parameters`; `names` outlives the operator.
  /// May throw ConfigurationError.
  std::function<std::unique_ptr<ViewOperator>(const Parameters& given, const PlanNames& names)> make;
  /// For a wrapper that combines and can be applied part by part: to groups of its children first, and then
  /// to the results. Returns the parameters for the groups, with which the final result is the same as for
  /// one application to all children. Empty: the wrapper must be applied once, to all children.
  std::function<Parameters(Parameters given)> in_parts{};
  /// For a wrapper that may throw or never return: how long it may take for one view. It runs in its own
  /// thread, and View::missing lists it when it is late or throws. Without a limit, it runs in the thread
  /// that pulls.
  std::optional<std::chrono::nanoseconds> limit{};
};

}  // namespace eventspace
