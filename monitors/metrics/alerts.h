#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/metrics/alert_rule.h"
#include "monitors/metrics/readings/metric_reading.h"

namespace eventspace {

/// An alert that a value has raised.
struct RaisedAlert {
  std::string rule;
  std::string metric;
  std::string objects;  ///< separated by blanks
  std::optional<std::int64_t> virtual_time{};
  double number{0.0};  ///< in the metric's unit
  std::string unit;
  std::chrono::nanoseconds lasted{};  ///< how long the condition has held

  /// Variables for a command: EVENTSPACE_ALERT (the rule), EVENTSPACE_METRIC, EVENTSPACE_OBJECTS,
  /// EVENTSPACE_VIRTUAL_TIME, EVENTSPACE_VALUE and EVENTSPACE_UNIT.
  [[nodiscard]] std::map<std::string, std::string> environment() const;
  /// "Imbalance > 0.3 for 5s: 35.2 % for 5.1s"
  [[nodiscard]] std::string text() const;
};

/// Finds the alerts that the values of readings raise. A rule applies to each object of its metric
/// separately: an alert is raised once the condition has held at all readings, or virtual times, for the time
/// of the rule, and is raised again only after the condition has not held. A missing value, or one that is
/// not a number, does not fulfil a condition. Pure. Not thread-safe.
class Alerts {
 public:
  explicit Alerts(std::vector<AlertRule> rules) : rules_(std::move(rules)) {}

  /// Takes a reading. Readings of a metric must come in the order of their times.
  std::vector<RaisedAlert> take(const MetricReading& reading);
  /// The objects of the values of a metric for which an alert has been raised, and whose condition still
  /// holds.
  [[nodiscard]] std::set<std::vector<std::string>> raised_for(std::string_view metric) const;

 private:
  struct Standing {
    std::int64_t since_ns{0};  // the first value for which the condition held
    bool is_raised{false};
  };
  std::vector<AlertRule> rules_;
  std::map<std::pair<std::size_t, std::vector<std::string>>, Standing> standing_;  // by rule and objects
};

}  // namespace eventspace
