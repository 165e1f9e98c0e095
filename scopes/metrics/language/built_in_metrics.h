#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scopes/metrics/language/metric_type.h"

namespace eventspace::metrics {

/// How a built-in metric is computed.
enum class Source : std::uint8_t {
  count,     ///< number of events that its condition selects
  volume,    ///< sum of their bytes
  delay,     ///< sum of their durations
  quantity,  ///< sum of a quantity that the metric's user gives
  time,      ///< the clock
  used,      ///< the amount of a resource that processes have used in an interval (ProcessUsage)
  present    ///< the amount of a resource at a point of time (ProcessUsage)
};

/// How MPI calls among the events are counted.
enum class Messages : std::uint8_t {
  calls,     ///< each call, with its own bytes
  received,  ///< the messages that the call received (records/moved_messages.h)
  moved      ///< only the bytes that were sent, contributed or received
};

/// The condition for regions of the program (docs/expressions.md).
inline constexpr std::string_view region_condition = "kind == 'probe' and verb == 'region'";

/// The resource of a sampled metric. Its server reads it on request (paths/views/view.h).
enum class Resource : std::uint8_t {
  processor_time,
  memory,
  voluntary_switches,
  involuntary_switches,
  load,        ///< of nodes
  processors,  ///< of nodes
  clock_error  ///< a bound of the error of times of the process's events
};

/// A metric that needs no definition. Its parameters are, in this order: objects (one or several: the value
/// is the sum over them), partners (optional), regions (optional), texts, and the time.
struct BuiltInMetric {
  std::string name;
  Source source{Source::count};
  Unit unit{};
  /// A condition over events (docs/expressions.md); empty if the user gives it.
  std::string condition{};
  /// Whether the events are messages with a partner, so that partners can be given.
  bool has_partners{false};
  std::string help{};
  Resource resource{Resource::processor_time};  ///< of a sampled metric
  Messages messages{Messages::calls};

  /// Whether it uses samples of processes and nodes instead of events.
  [[nodiscard]] bool is_sampled() const noexcept {
    return source == Source::used || source == Source::present;
  }
  /// Whether it is a metric of nodes. For a process, it is the metric of its node.
  [[nodiscard]] bool is_of_nodes() const noexcept {
    return is_sampled() && (resource == Resource::load || resource == Resource::processors);
  }
  [[nodiscard]] bool takes_condition() const noexcept {
    return source != Source::time && !is_sampled() && condition.empty();
  }
  [[nodiscard]] bool takes_objects() const noexcept { return source != Source::time; }
  /// Whether it uses events.
  [[nodiscard]] bool is_counted() const noexcept { return source != Source::time && !is_sampled(); }
};

/// Returns the parameters of the metric, as in messages and lists: "Send_volume(OBJECTS[, PARTNERS][,
/// REGIONS], INTERVAL)".
std::string signature(const BuiltInMetric& metric);

/// All built-in metrics, in the order in which they are listed. The checker, the evaluation, lists and docs
/// all use this table.
std::span<const BuiltInMetric> built_in_metrics();
/// Returns the number of the metric in that list, or nothing if it does not exist.
std::optional<std::uint32_t> built_in_metric_named(std::string_view name);

}  // namespace eventspace::metrics
