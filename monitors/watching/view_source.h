#pragma once

// Private to monitors/.

#include <utility>

#include "scopes/scope.h"

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

  View pull(const EventScope::Options& options) override { return scope_.pull(options); }
  [[nodiscard]] const EventScope& scope() const noexcept { return scope_; }
  [[nodiscard]] EventScope& scope() noexcept { return scope_; }

 private:
  EventScope scope_;
};

}  // namespace eventspace
