#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "scopes/metrics/language/unit.h"

namespace eventspace {

/// A condition over the values of a metric that raises an alert: METRIC RELATION NUMBER [UNIT] [for TIME],
/// such as "Imbalance > 0.3 for 5s" or "Iteration_time >= 20ms". Relations are < <= > >= == and !=. Plain
/// data.
struct AlertRule {
  enum class Relation : std::uint8_t { less, at_most, more, at_least, equal, unequal };

  std::string text;  ///< as the user wrote it
  std::string metric;
  Relation relation{Relation::more};
  double number{0.0};                   ///< in seconds and bytes
  metrics::DisplayUnit unit;            ///< the unit in which the number was written
  std::chrono::nanoseconds lasting{0};  ///< how long the condition must hold

  /// Whether the condition holds for a value in seconds and bytes.
  [[nodiscard]] bool holds(double value) const noexcept;
};

/// Parses a rule. Pure. Throws ConfigurationError with the text that was found and the forms that are
/// allowed.
AlertRule alert_rule(const std::string& text);

/// Throws ConfigurationError if a number of the rule cannot be compared with values in `unit`: seconds with
/// bytes, a plain number with seconds, or a number with another label than the metric's. Pure.
void check_unit(const AlertRule& rule, const metrics::DisplayUnit& unit);

}  // namespace eventspace
