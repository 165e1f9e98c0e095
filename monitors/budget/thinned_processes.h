#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/budget/class_counts.h"

namespace eventspace {

/// An order that some processes record one event in `period` of a class; 0: none.
struct PeriodOrder {
  EventClasses of{};
  std::uint32_t period{1};
  std::vector<ProcessRun> runs{};
};

/// The settings that a tool has made in the processes of a session, and the settings that it found, so that
/// it can restore them. A user has the last word: a setting that another switch has changed since is left
/// alone from then on, and is not restored. A setting found at the beginning, such as one event in 10, is
/// never replaced by one that records more, and comes back at the end. Does no I/O. Not thread-safe.
class ThinnedProcesses {
 public:
  /// Notes the present settings of the processes, marks the loads whose class a user has switched since, and
  /// gives each load the least period that may be set.
  void note(std::vector<ProcessLoads>& processes);
  /// Returns the orders by which the processes noted last follow `wanted`: classes that it lacks get back
  /// the settings that were found. New processes
  /// get the same settings.
  [[nodiscard]] std::vector<PeriodOrder> orders(const BudgetControl::Periods& wanted) const;
  /// The order was carried out in this process.
  void confirm(const ProcessRun& run, const EventClasses& of, std::uint32_t period);

  /// The classes that a user has switched since, for a message; each is returned once.
  [[nodiscard]] std::vector<EventClasses> take_users_choices();

 private:
  struct Setting {
    std::uint32_t found{1};
    std::uint32_t set{1};
    bool is_users{false};
  };
  struct Process {
    ProcessRun run{};
    CollectState collecting{};
    std::map<EventClasses, Setting, BudgetControl::LessOf> settings{};
  };
  void note_users_choices(Process& process);
  [[nodiscard]] static std::uint32_t present(const Process& process, const EventClasses& of);

  std::map<std::uint32_t, Process> processes_;
  std::vector<EventClasses> users_choices_;
};

}  // namespace eventspace
