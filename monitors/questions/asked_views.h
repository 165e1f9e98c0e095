#pragma once

// Private to monitors/.

#include <string>

#include "monitors/watching/view_source.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The views of a scope without the kernel's reports on threads that were not requested. A scope can select
/// trace elements, but the reports on processes that are in no plan cover all of their threads.
class AskedViews final : public ViewSource {
 public:
  /// `threads`: a valid glob; empty: all. `names` must outlive this object.
  AskedViews(EventScope scope, std::string threads, const PlanNames& names)
      : views_(std::move(scope)), threads_(std::move(threads)), names_(&names) {}

  View pull(const EventScope::Options& options) override;
  [[nodiscard]] const EventScope& scope() const noexcept { return views_.scope(); }

 private:
  ScopeViews views_;
  std::string threads_;
  const PlanNames* names_;
};

}  // namespace eventspace
