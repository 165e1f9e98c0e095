#pragma once

// Private to scopes/.

#include <array>
#include <cstdint>
#include <string_view>

#include "scopes/expressions/expression.h"

namespace eventspace::metrics {

/// A condition over events. One that asks only for what an event is (its kind, verb and point) is evaluated
/// once for each such class of events. Not thread-safe.
class EventCondition {
 public:
  /// `names` must outlive it. Throws ExpressionError as Expression does.
  EventCondition(std::string_view text, const PlanNames& names);

  [[nodiscard]] bool holds(const ObservedEvent& event) const {
    return is_of_class_ ? holds_for_class(event) : expression_.holds(event);
  }

 private:
  struct Known {
    std::uint32_t of{0};  // the bits of the class, plus 1; 0: unused
    bool holds{false};
  };
  [[nodiscard]] bool holds_for_class(const ObservedEvent& event) const;

  Expression expression_;
  bool is_of_class_;
  mutable std::array<Known, 64> known_{};
};

}  // namespace eventspace::metrics
