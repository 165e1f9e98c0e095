#include "monitors/probing/balance/balance_rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

using std::chrono::steady_clock;

std::vector<FunctionName> names_of(const GroupAnswer& answer) {
  std::vector<FunctionName> names;
  for (const FunctionSpread& one : answer.functions) names.push_back({one.module, one.function});
  return names;
}

std::vector<FunctionName> first_functions(GroupWork& work, const BalanceRequest& request) {
  GroupOrder order = request.order;
  order.verb = GroupVerb::callees;
  order.patterns = {request.loop};
  const GroupAnswer answer = work.carry_out(order);
  answer.refusals.report();
  if (answer.processes == 0) throw EnvironmentError("no process matches");
  if (answer.functions.empty())
    throw EnvironmentError(fmt::format(
        "found no function '{}' that calls a function that can have a probe; find the work loop with "
        "`eventspace functions --callers-of ...` and set it with --loop",
        request.loop));
  return names_of(answer);
}

}  // namespace

BalanceRounds::BalanceRounds(GroupWork& work, const BalanceRequest& request)
    : work_(work), request_(request), search_(request.goal, request.loop, first_functions(work, request)) {}

GroupAnswer BalanceRounds::carry_out(GroupVerb verb) {
  GroupOrder order = request_.order;
  order.verb = verb;
  order.task.has_times = true;
  if (verb == GroupVerb::place)
    for (const auto& [name, caller] : search_.next()) order.patterns.push_back('=' + name.function);
  GroupAnswer answer = work_.carry_out(order);
  longest_stop_ = std::max(longest_stop_, answer.longest_stop);
  call_cost_ = std::max(call_cost_, answer.call_cost);
  return answer;
}

std::vector<FunctionName> BalanceRounds::callees_of(const std::string& module, const std::string& function) {
  GroupOrder order = request_.order;
  order.verb = GroupVerb::callees;
  order.patterns = {'=' + function};
  std::vector<FunctionName> names = names_of(work_.carry_out(order));
  std::erase_if(names, [&](const FunctionName& name) { return name.module != module; });
  return names;
}

// Reasons that an earlier round has reported are not repeated.
bool BalanceRounds::place() {
  const GroupAnswer answer = carry_out(GroupVerb::place);
  processes_ = std::max(processes_, answer.done);
  GroupedRefusals fresh;
  for (const auto& [reason, processes] : answer.refusals.by_reason()) {
    if (said_.by_reason().contains(reason)) continue;
    fresh.add(reason, processes);
    said_.add(reason, processes);
  }
  fresh.report();
  return answer.done > 0;
}

bool BalanceRounds::wait(std::chrono::nanoseconds time, StopSignals& signals) {
  constexpr std::chrono::nanoseconds step = std::chrono::milliseconds(50);
  const auto end = steady_clock::now() + time;
  while (!signals.stopped()) {
    const auto left = std::chrono::nanoseconds(end - steady_clock::now());
    if (left.count() <= 0) return true;
    work_.wait(std::min(left, step));
  }
  return false;
}

// Returns false if the round has to be restarted without the functions that are called too often.
bool BalanceRounds::keeps_budget(const GroupAnswer& looked, std::chrono::nanoseconds time) {
  const auto expensive = too_expensive(looked.functions, time, call_cost_, request_.budget);
  search_.take_too_often(expensive);
  return expensive.empty();
}

bool BalanceRounds::do_round(StopSignals& signals) {
  const std::chrono::nanoseconds trial =
      std::min<std::chrono::nanoseconds>(request_.round / 5, std::chrono::milliseconds(100));
  while (!search_.next().empty()) {
    if (!place()) return false;
    const auto begun = steady_clock::now();
    if (!wait(trial, signals)) return false;
    if (!keeps_budget(carry_out(GroupVerb::look), steady_clock::now() - begun)) continue;
    if (!wait(request_.round - trial, signals)) return false;
    const GroupAnswer measured = carry_out(GroupVerb::remove);
    const std::chrono::nanoseconds time = steady_clock::now() - begun;
    cost_ = std::max(cost_, cost_share(measured.functions, time, call_cost_));
    search_.take(time, measured.functions,
                 [this](const FunctionName& caller) { return callees_of(caller.module, caller.function); });
    return true;
  }
  return false;
}

void BalanceRounds::run(StopSignals& signals) {
  while (!search_.next().empty() && do_round(signals)) {
  }
  (void)carry_out(GroupVerb::remove);  // removes the probes of a round that was interrupted
}

}  // namespace eventspace
