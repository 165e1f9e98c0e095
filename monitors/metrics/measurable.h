#pragma once

// Private to monitors/.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "monitors/metrics/measure_options.h"
#include "paths/views/view.h"
#include "scopes/metrics/evaluation/event_condition.h"
#include "scopes/tree/plan_names.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {

/// Finds out whether there are events for metrics. Not thread-safe.
class Measurable {
 public:
  /// `names` must outlive it.
  explicit Measurable(const PlanNames& names) : names_(&names), processes_(names) {}

  /// A metric whose events are looked for in later views.
  void add(const metrics::Definition& definition);
  void take(const View& view);

  /// "yes", or what is missing: "no: the probe iteration_end was not passed".
  [[nodiscard]] std::string verdict(const metrics::Definition& definition) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& probes() const noexcept { return probes_; }
  /// The names of the processes, and the nodes of each.
  [[nodiscard]] const std::map<std::string, std::string>& processes() const noexcept { return seen_; }

 private:
  const PlanNames* names_;
  RecordProcesses processes_;
  std::map<std::string, metrics::EventCondition, std::less<>> wanted_;  // not seen so far
  std::set<std::string, std::less<>> probes_;
  std::map<std::string, std::string> seen_;
  bool was_sampled_{false};
};

/// `measure --list`: looks once at what a session or recording holds, and lists the metrics with whether
/// there are events for them, the processes, and the probes. Returns the exit status.
int list_measurable(const MeasureOptions& options);

}  // namespace eventspace
