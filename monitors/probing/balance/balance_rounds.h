#pragma once

#include <chrono>
#include <string>

#include "monitors/cli/stop_signals.h"
#include "monitors/probing/balance/balance_search.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/work/group_work.h"

namespace eventspace {

/// The options of `eventspace balance`.
struct BalanceRequest {
  ProcessChoice processes{};
  ProcessGroups groups{};    ///< definitions that the choice needs
  std::string modules{};     ///< pattern of the functions' modules; empty: all
  std::string loop{"main"};  ///< the function whose callees the first round measures
  BalanceGoal goal{};
  double budget{0.02};  ///< limit for the cost of probes, as a share of the time
  std::chrono::nanoseconds round = std::chrono::seconds(1);
};

/// Runs the rounds of probes on running processes. Not thread-safe.
class BalanceRounds {
 public:
  /// Finds the functions of the first round. Throws EnvironmentError if no process is chosen, or if none of
  /// them has a function with this name that calls one that can be probed.
  BalanceRounds(GroupWork& work, const BalanceRequest& request);

  /// Runs rounds until the search ends or a signal arrives; then removes all probes. Reports failures on
  /// standard error.
  void run(StopSignals& signals);

  [[nodiscard]] const BalanceSearch& search() const noexcept { return search_; }
  /// An upper bound of the cost of the probes, as a share of the time, in the process and the round in which
  /// they cost most: the number of calls times the cost of one.
  [[nodiscard]] double cost() const noexcept { return cost_; }
  [[nodiscard]] std::chrono::nanoseconds call_cost() const noexcept { return call_cost_; }
  /// The longest time that any thread was stopped at once.
  [[nodiscard]] std::chrono::nanoseconds longest_stop() const noexcept { return longest_stop_; }
  [[nodiscard]] std::uint64_t processes() const noexcept { return processes_; }

 private:
  std::vector<FunctionName> callees_of(const std::string& module, const std::string& function);
  GroupAnswer carry_out(const GroupCommand& command);
  bool do_round(StopSignals& signals);
  bool place();
  bool wait(std::chrono::nanoseconds time, StopSignals& signals);
  bool keeps_budget(const GroupAnswer& looked, std::chrono::nanoseconds time);

  GroupWork& work_;
  const BalanceRequest& request_;
  BalanceSearch search_;
  GroupedRefusals said_;  // already reported
  double cost_{0};
  std::chrono::nanoseconds call_cost_{};
  std::chrono::nanoseconds longest_stop_{};
  std::uint64_t processes_{0};
};

}  // namespace eventspace
