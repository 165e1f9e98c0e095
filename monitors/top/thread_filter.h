#pragma once

#include <memory>
#include <string>

#include "monitors/top/model.h"
#include "scopes/expressions/expression.h"
#include "scopes/tree/plan_names.h"

namespace eventspace::top {

/// Selects the threads to show: those whose name matches a glob, or those with an event that satisfies an
/// expression (scopes/expressions/expression.h). Such an event is the newest one of a path of the thread, or
/// one in flight. A text that parses as an expression of truth value is an expression; any other text that
/// looks like a name or a glob is a glob. An empty text selects all threads.
class ThreadFilter {
 public:
  ThreadFilter() = default;
  /// Throws ConfigurationError if `text` is neither. `names` must outlive this object.
  ThreadFilter(std::string text, const PlanNames& names);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool shows(const ThreadState& thread, const State& state) const;

 private:
  [[nodiscard]] bool holds(const std::optional<EventRecord>& record, const State& state) const;

  std::string text_;
  const PlanNames* names_{nullptr};
  std::shared_ptr<const Expression> expression_;  // null if the text is a glob
};

}  // namespace eventspace::top
