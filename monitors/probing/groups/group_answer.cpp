#include "monitors/probing/groups/group_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace eventspace {
namespace {

void add_to(std::uint64_t& sum, std::uint64_t more) { sum = saturated_sum(sum, more); }

/// Moves elements to the end of `to` while there is room. Returns how many were left out.
template <class One>
std::uint64_t append(std::vector<One>& to, std::vector<One>& more, std::size_t most) {
  const std::size_t taken = std::min(most - std::min(most, to.size()), more.size());
  std::move(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(taken), std::back_inserter(to));
  return more.size() - taken;
}

}  // namespace

GroupMember member_of(const ProcessFacts& process) {
  return {process.host,
          process.pid,
          process.name,
          process.rank ? std::to_string(*process.rank) : std::string(),
          std::string(process.job()),
          std::string(process.session()),
          process.threads};
}

std::string name_of(const ProcessFacts& process) {
  return process.rank ? fmt::format("{}:rank{}", process.host, *process.rank)
                      : fmt::format("{}:{}", process.host, process.pid);
}

FunctionSpread* GroupAnswer::function(const std::string& module, const std::string& name) {
  const auto key = [](const FunctionSpread& one) { return std::tie(one.module, one.function); };
  const auto at = std::ranges::lower_bound(functions, std::tie(module, name), {}, key);
  if (at != functions.end() && key(*at) == std::tie(module, name)) return &*at;
  if (functions.size() == max_functions) {
    add_to(left_out, 1);
    return nullptr;
  }
  return &*functions.insert(at, {module, name, {}, {}, {}});
}

NumberSpread* GroupAnswer::variable(const std::string& name) {
  const auto at = std::ranges::find(variables, name, &VariableSpread::name);
  if (at != variables.end()) return &at->numbers;
  if (variables.size() == max_variables) {
    add_to(left_out, 1);
    return nullptr;
  }
  return &variables.emplace_back(VariableSpread{name, {}}).numbers;
}

void GroupAnswer::add(GroupMember member) {
  if (members.size() < max_members)
    members.push_back(std::move(member));
  else
    left_out = saturated_sum(left_out, 1);
}

void GroupAnswer::merge(GroupAnswer other) {
  add_to(processes, other.processes);
  add_to(done, other.done);
  add_to(probes, other.probes);
  add_to(failed, other.failed);
  add_to(left_out, other.left_out);
  longest_stop = std::max(longest_stop, other.longest_stop);
  call_cost = std::max(call_cost, other.call_cost);
  for (const auto& [reason, those] : other.refusals.by_reason()) refusals.add(reason, those);
  for (const FunctionSpread& one : other.functions)
    if (FunctionSpread* const known = function(one.module, one.function); known != nullptr) known->merge(one);
  for (const VariableSpread& one : other.variables)
    if (NumberSpread* const known = variable(one.name); known != nullptr) known->merge(one.numbers);
  add_to(left_out, append(members, other.members, max_members));
  add_to(left_out, append(readings, other.readings, max_readings));
}

}  // namespace eventspace
