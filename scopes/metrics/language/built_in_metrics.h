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
  time,      ///< the clock
  used,      ///< how much of something processes have used in an interval (ProcessUsage)
  present    ///< how much of something there is at a point of time (ProcessUsage)
};

/// What is counted of the calls of MPI among the events.
enum class Messages : std::uint8_t {
  calls,     ///< each call, with its own bytes
  received,  ///< the messages that were received in it (records/moved_messages.h)
  moved      ///< of its bytes, those that were sent, contributed or received
};

/// What holds for the regions of the program, as a condition over events (docs/expressions.md).
inline constexpr std::string_view region_condition = "kind == 'probe' and verb == 'region'";

/// What a sampled metric is about. Its server reads it when it is asked (paths/views/view.h).
enum class Resource : std::uint8_t {
  processor_time,
  memory,
  voluntary_switches,
  involuntary_switches,
  load,        ///< of nodes
  processors,  ///< of nodes
  clock_error  ///< a bound, of times of the process's events
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
  Resource resource{Resource::processor_time};  ///< of a sampled metric
  Messages messages{Messages::calls};

  /// Whether it is made of samples of processes and nodes, and not of events.
  [[nodiscard]] bool is_sampled() const noexcept {
    return source == Source::used || source == Source::present;
  }
  /// Whether it is about nodes, and of a process that of its node.
  [[nodiscard]] bool is_of_nodes() const noexcept {
    return is_sampled() && (resource == Resource::load || resource == Resource::processors);
  }
  [[nodiscard]] bool takes_condition() const noexcept {
    return source != Source::time && !is_sampled() && condition.empty();
  }
  [[nodiscard]] bool takes_objects() const noexcept { return source != Source::time; }
  /// Whether it is made of events.
  [[nodiscard]] bool is_counted() const noexcept { return source != Source::time && !is_sampled(); }
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
