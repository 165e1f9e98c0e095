#pragma once

#include <string>
#include <utility>

#include "scopes/scope.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The source of a monitor's views: a scope of a running application, a recording, or a test. Used by one
/// thread.
class ViewSource {
 public:
  ViewSource() = default;
  virtual ~ViewSource() = default;
  ViewSource(const ViewSource&) = delete;
  ViewSource& operator=(const ViewSource&) = delete;

  /// The view at `options.at`, as described in EventScope::pull. The deadline is real time.
  virtual View pull(const EventScope::Options& options) = 0;
};

/// The views of a scope.
class ScopeViews final : public ViewSource {
 public:
  explicit ScopeViews(EventScope scope) noexcept : scope_(std::move(scope)) {}
  /// Leaves out the kernel's reports on other threads than `threads`, a valid glob; empty: none. A scope can
  /// select trace elements, but the reports on processes that are in no plan cover all of their threads.
  /// `names` must outlive this object.
  ScopeViews(EventScope scope, std::string threads, const PlanNames& names)
      : scope_(std::move(scope)), threads_(std::move(threads)), names_(&names) {}

  View pull(const EventScope::Options& options) override;
  [[nodiscard]] const EventScope& scope() const noexcept { return scope_; }
  [[nodiscard]] EventScope& scope() noexcept { return scope_; }

 private:
  EventScope scope_;
  std::string threads_;
  const PlanNames* names_{nullptr};  // set if threads are left out
};

}  // namespace eventspace
