#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/budget/thinned_processes.h"
#include "monitors/watching/watched.h"
#include "paths/views/view.h"

namespace eventspace {

/// The session whose overhead is kept in a budget: a running one, or one of a test. Used by one thread.
class BudgetedSession {
 public:
  BudgetedSession() = default;
  virtual ~BudgetedSession() = default;
  BudgetedSession(const BudgetedSession&) = delete;
  BudgetedSession& operator=(const BudgetedSession&) = delete;

  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const PlanNames& names() const = 0;
  /// The newest event of each trace element, with reports of processes and threads. Waits for servers.
  virtual View look() = 0;
  /// The processor time so far of this tool and of the session's servers on this machine.
  virtual std::chrono::nanoseconds watching_cpu() = 0;
  virtual std::chrono::steady_clock::time_point now() = 0;

  struct Outcome {
    std::vector<ProcessRun> done{};     ///< the processes that carried the order out
    std::vector<ProcessRun> refused{};  ///< the processes that cannot be switched
    std::string
        refusal{};  ///< why these, or processes of a server that is late, did not; empty if there are none
  };
  virtual Outcome carry_out(const PeriodOrder& order) = 0;
};

/// Adds to `outcome` the processes of `order` that are in `switched`, by name and pid: processes on several
/// machines may have the same pid.
void note_switched(const std::vector<SwitchedProcess>& switched, const PeriodOrder& order,
                   const PlanNames& names, BudgetedSession::Outcome& outcome);

/// A running session. Reads segments itself if the application is on this machine; otherwise asks servers.
/// Throws as find_watched, Consumer and events_of_everything do.
std::unique_ptr<BudgetedSession> make_budgeted_session(const Watched& watched);

}  // namespace eventspace
