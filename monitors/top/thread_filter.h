#pragma once

// Private to monitors/.

#include <memory>
#include <string>

#include "monitors/top/model.h"
#include "scopes/expressions/expression.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::top {

/// Which threads are shown: those whose name matches a glob, or of which an event that was pulled last (the
/// newest one of one of its paths, or one in flight) meets an expression (scopes/expressions/expression.h).
/// Text that is an expression that is true or false is one; else what looks like a name or a glob is a glob.
/// Empty: all.
class ThreadFilter {
 public:
  ThreadFilter() = default;
  /// Throws ConfigurationError with what is wrong. `names` must outlive it.
  ThreadFilter(std::string text, const PlanNames& names);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool shows(const ThreadState& thread, const State& state) const;

 private:
  [[nodiscard]] bool holds(const std::optional<EventRecord>& record, const State& state) const;

  std::string text_;
  const PlanNames* names_{nullptr};
  std::shared_ptr<const Expression> expression_;  // null: a glob
};

}  // namespace eventspace::top
