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
/// never replaced by one that records more, and comes back at the end.
///
/// A process without a report, because its server was late, keeps its settings for many looks, so that what
/// was found there is not confused with what this tool has set. Does no I/O. Not thread-safe.
class ThinnedProcesses {
 public:
  /// Notes the present settings of the processes, marks the loads whose class a user has switched since, and
  /// gives each load the least period that may be set. `is_whole`: every process that runs is among them.
  void note(std::vector<ProcessLoads>& processes, bool is_whole);
  /// Forgets a process that has ended.
  void forget(const ProcessRun& run);
  /// Returns the orders by which the processes noted last follow `wanted`: classes that it lacks get back
  /// the settings that were found. New processes get the same settings. Processes that refused an order are
  /// left out.
  [[nodiscard]] std::vector<PeriodOrder> orders(const BudgetControl::Periods& wanted) const;
  /// Returns the orders by which the processes noted last, also those that refused an order, get back the
  /// settings that were found.
  [[nodiscard]] std::vector<PeriodOrder> restoring_orders() const;
  /// To be called before an order is carried out: if it is carried out without an answer, the new settings
  /// are this tool's nevertheless.
  void ask(const PeriodOrder& order);
  /// The order was carried out in this process.
  void confirm(const ProcessRun& run, const EventClasses& of, std::uint32_t period);
  /// The process does not carry out orders.
  void refuse(const ProcessRun& run);
  /// The processes that do not have the settings that were found, as far as this tool knows.
  [[nodiscard]] std::vector<ProcessRun> thinned() const;

  /// The classes that a user has switched since, for a message; each is returned once.
  [[nodiscard]] std::vector<EventClasses> take_users_choices();

 private:
  struct Setting {
    std::uint32_t found{1};
    std::uint32_t set{1};
    std::uint32_t asked{1};  // differs from `set` until the process confirms it
    bool is_users{false};

    [[nodiscard]] bool is_thinned() const noexcept { return !is_users && (set != found || asked != found); }
  };
  struct Process {
    ProcessRun run{};
    CollectState collecting{};
    std::map<EventClasses, Setting, BudgetControl::LessOf> settings{};
    bool is_refused{false};
    unsigned unseen{0};  // looks without a report of it
  };
  [[nodiscard]] Process* find(const ProcessRun& run) noexcept;
  void note_settings(Process& process);
  static void mark(const Process& process, std::vector<ClassLoad>& loads);
  static void add_orders(const Process& process, const BudgetControl::Periods& wanted,
                         std::vector<PeriodOrder>& orders);
  static void add_restoring(const Process& process, const BudgetControl::Periods& wanted,
                            std::vector<PeriodOrder>& orders);
  [[nodiscard]] static std::uint32_t present(const Process& process, const EventClasses& of);

  std::map<std::uint32_t, Process> processes_;
  std::vector<EventClasses> users_choices_;
};

}  // namespace eventspace
