#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "monitors/budget/budget_control.h"
#include "monitors/budget/budgeted_session.h"
#include "monitors/budget/class_counts.h"
#include "monitors/budget/thinned_processes.h"

namespace eventspace {

/// Keeps the overhead of a session within a budget: measures its records and their cost, and carries out the
/// steps of BudgetControl. Each step is passed to `say` as one line. Used by one thread.
class BudgetWatch {
 public:
  using Say = std::function<void(const std::string& line)>;
  /// `session` must outlive this object.
  BudgetWatch(BudgetedSession& session, const BudgetControl::Settings& settings, Say say);

  /// Looks once. `may_switch`: whether this tool may switch classes of events; otherwise it only lengthens
  /// its own interval.
  void look(bool may_switch);
  /// Restores all settings that this object has made and that no user has changed since, and names the
  /// processes in which it could not. If the budget could not be kept, everything stays off. Does not throw
  /// if looking fails.
  void restore();
  /// Reports the overhead so far and whether the budget was kept.
  void say_sum() const;

  [[nodiscard]] const BudgetControl& control() const noexcept { return control_; }
  /// False if the budget could not be kept.
  [[nodiscard]] bool is_kept() const noexcept;

 private:
  LookCounts counts_of(const View& view);
  void carry_out(const std::vector<PeriodOrder>& orders);
  void note_refusal(const BudgetedSession::Outcome& outcome);
  void say(const std::string& text) const;
  void say_users_choices();
  void look_before_restoring();
  void say_still_thinned() const;

  BudgetedSession* session_;
  const double budget_;
  const bool may_stretch_;
  BudgetControl control_;
  ClassCounts counts_;
  ThinnedProcesses thinned_;
  Say say_;
  std::size_t steps_{0};
  bool has_switched_{false};  // a process has carried out an order
  bool is_refused_{false};    // no process has, and none will
  unsigned unanswered_{
      0};  // orders that no process has carried out or refused, before the first that one has
  std::set<std::string> said_;  // refusals
  std::chrono::steady_clock::time_point looked_;
  std::chrono::nanoseconds watching_cpu_;
};

}  // namespace eventspace
