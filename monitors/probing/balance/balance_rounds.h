#pragma once

// Private to monitors/.

#include <chrono>
#include <string>

#include "monitors/cli/stop_signals.h"
#include "monitors/probing/balance/balance_search.h"
#include "monitors/probing/groups/group_order.h"
#include "monitors/probing/work/group_work.h"

namespace eventspace {

/// What `eventspace balance` is asked for.
struct BalanceRequest {
  GroupOrder order{};        ///< whose processes, and in which modules
  std::string loop{"main"};  ///< the function whose callees the first round measures
  BalanceGoal goal{};
  double budget{0.02};  ///< what the probes may cost, as a share of the time
  std::chrono::nanoseconds round = std::chrono::seconds(1);
};

/// The rounds of probes on processes that run. Not thread-safe.
class BalanceRounds {
 public:
  /// Finds the functions of the first round. Throws EnvironmentError if there is no process, or none of their
  /// functions has the name and calls one that can have a probe.
  BalanceRounds(GroupWork& work, const BalanceRequest& request);

  /// Does rounds until the search ends, or a signal comes; then all probes are removed. Says on standard
  /// error what could not be done.
  void run(StopSignals& signals);

  [[nodiscard]] const BalanceSearch& search() const noexcept { return search_; }
  /// What the probes cost at most, as a share of the time, in the process and the round in which they cost
  /// most: the calls that were counted, times the cost of one.
  [[nodiscard]] double cost() const noexcept { return cost_; }
  [[nodiscard]] std::chrono::nanoseconds call_cost() const noexcept { return call_cost_; }
  /// How long any thread has stood still at a time, at most.
  [[nodiscard]] std::chrono::nanoseconds longest_stop() const noexcept { return longest_stop_; }
  [[nodiscard]] std::uint64_t processes() const noexcept { return processes_; }

 private:
  std::vector<FunctionName> callees_of(const std::string& module, const std::string& function);
  GroupAnswer carry_out(GroupVerb verb);
  bool do_round(StopSignals& signals);
  bool place();
  bool wait(std::chrono::nanoseconds time, StopSignals& signals);
  bool keeps_budget(const GroupAnswer& looked, std::chrono::nanoseconds time);

  GroupWork& work_;
  const BalanceRequest& request_;
  BalanceSearch search_;
  GroupedRefusals said_;  // what was reported already
  double cost_{0};
  std::chrono::nanoseconds call_cost_{};
  std::chrono::nanoseconds longest_stop_{};
  std::uint64_t processes_{0};
};

}  // namespace eventspace
