#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "monitors/metrics/measure_options.h"
#include "paths/views/view.h"
#include "scopes/metrics/events/event_condition.h"
#include "scopes/tree/plan_names.h"
#include "scopes/wrappers/record_processes.h"

namespace eventspace {

/// Finds out whether there are events for metrics. Not thread-safe.
class Measurable {
 public:
  /// `names` must outlive it.
  explicit Measurable(const PlanNames& names) : names_(&names), processes_(names) {}

  /// Adds a metric; its events are searched in later views.
  void add(const metrics::Definition& definition);
  void take(const View& view);

  /// "yes", or the missing events: "no: the probe iteration_end was not passed".
  [[nodiscard]] std::string verdict(const metrics::Definition& definition) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& probes() const noexcept { return probes_; }
  /// An object: "site", "node", "process" or "thread", its name, and its place: "in SITE", "on NODE", "of
  /// PROCESS". Threads are included if they have events.
  struct Object {
    std::string kind;
    std::string name;
    std::string where;
    friend auto operator<=>(const Object&, const Object&) = default;  // NOLINT
  };
  /// Sites first, followed by the objects in them, each kind by name.
  [[nodiscard]] std::vector<Object> objects() const;

 private:
  void note_process(std::uint32_t process);

  const PlanNames* names_;
  RecordProcesses processes_;
  std::map<std::string, metrics::EventCondition, std::less<>> wanted_;  // not yet seen
  std::set<std::string, std::less<>> probes_;
  std::set<Object> sites_;
  std::set<Object> nodes_;
  std::set<Object> seen_processes_;
  std::set<Object> threads_;
  bool was_sampled_{false};
};

/// `measure --list`: reads once the content of a session or recording, and lists the metrics (with whether
/// there are events for them), the processes, and the probes. Returns the exit status.
int list_measurable(const MeasureOptions& options);

}  // namespace eventspace
