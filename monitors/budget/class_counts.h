#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "monitors/budget/budget_control.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// One run of a process of the application.
struct ProcessRun {
  std::uint32_t process{0};  ///< its number in reports
  std::int32_t pid{0};
  std::uint64_t start_ticks{0};
  friend bool operator==(const ProcessRun&, const ProcessRun&) = default;
};

/// The events of one process between two looks, by kind and class.
struct ProcessLoads {
  ProcessRun run;
  CollectState collecting;  ///< at the end of the interval
  std::vector<ClassLoad> classes{};
};

/// Counts the events of an application by process, kind and class, from views of the newest event of each
/// trace element, without reading the events themselves: the sequence number of the newest event is the
/// number of records so far. Records of a trace element that holds several classes are divided in proportion
/// to the classes of its newest events in the last looks. Does no I/O. Not thread-safe.
///
/// An event that was not recorded is estimated: from the records and the period of its class, and for a class
/// that is off from the time when it was recorded last.
class ClassCounts {
 public:
  /// `names` must outlive this object.
  explicit ClassCounts(const PlanNames& names) noexcept : names_(&names) {}

  struct Look {
    std::chrono::nanoseconds recording_cpu{};  ///< of the threads of which a record was seen
    std::vector<ProcessLoads> processes{};     ///< those that may live
  };
  /// Returns the events since the last view. `view` must have been pulled with Pull::with_threads. Events
  /// before the first view are not counted.
  Look observe(const View& view);

 private:
  using Shares = std::map<EventClasses, double, BudgetControl::LessOf>;
  struct Trace {
    std::uint64_t sequence{0};
    Shares shares{};
  };
  struct Count {
    double records{0};
    double estimated{0};  // the part of them in trace elements with several classes
  };
  struct Process {
    ProcessRun run{};
    CollectState collecting{};
    std::map<std::pair<std::uint32_t, std::uint16_t>, Trace> traces{};  // by path and point
    std::map<std::uint32_t, std::uint64_t> cpu_ns{};                    // by thread
    std::set<std::uint32_t> recording{};                                // threads
    Shares rates{};  // events per ns of its recording threads, when last recorded
    std::map<EventClasses, Count, BudgetControl::LessOf> recorded{};  // since the last view
    unsigned unseen{0};                                               // views without a report of it
  };

  Process& process_of(const ProcessReport& report);
  void count(const TraceTuple& record);
  [[nodiscard]] std::chrono::nanoseconds recording_cpu(Process& process, const ProcessReport& report) const;
  static std::vector<ClassLoad> loads_of(Process& process, std::chrono::nanoseconds cpu);
  void forget_gone();

  const PlanNames* names_;
  bool is_first_{true};
  std::map<std::uint32_t, Process> processes_;
};

}  // namespace eventspace
