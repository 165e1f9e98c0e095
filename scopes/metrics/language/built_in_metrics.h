#pragma once

// Private to scopes/.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scopes/metrics/language/metric_type.h"

namespace eventspace::metrics {

/// How a built-in metric is computed.
enum class Source : std::uint8_t {
  count,     ///< of the events that its condition selects
  volume,    ///< sum of their bytes
  delay,     ///< sum of their durations
  quantity,  ///< sum of a quantity that the metric's user gives
  time       ///< the clock
};

/// A metric that needs no definition. Its parameters are, in this order: objects (one or several: the value
/// is the sum over them), partners (optional), regions (optional), texts, and the time.
struct BuiltInMetric {
  std::string name;
  Source source{Source::count};
  Unit unit{};
  /// A condition of the house's expressions (docs/expressions.md); empty: the user gives it.
  std::string condition{};
  /// Whether the events are messages with a partner, so that partners can be given.
  bool has_partners{false};
  std::string help{};

  [[nodiscard]] bool takes_condition() const noexcept { return source != Source::time && condition.empty(); }
  [[nodiscard]] bool takes_objects() const noexcept { return source != Source::time; }
};

/// Returns what the metric takes, as in messages and lists: "Send_volume(OBJECTS[, PARTNERS][, REGIONS],
/// INTERVAL)".
std::string signature(const BuiltInMetric& metric);

/// All built-in metrics, in the order in which they are listed. One table: the checker, the evaluation, lists
/// and docs use it.
std::span<const BuiltInMetric> built_in_metrics();
/// Returns its number in that list; none if there is no such metric.
std::optional<std::uint32_t> built_in_metric_named(std::string_view name);

}  // namespace eventspace::metrics
