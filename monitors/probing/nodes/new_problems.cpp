#include "monitors/probing/nodes/new_problems.h"

#include <fmt/format.h>

#include <utility>

namespace eventspace {

std::vector<std::string> NewProblems::lines_of(const GroupAnswer& answer) {
  GroupedRefusals added;
  for (const auto& [reason, processes] : answer.refusals.by_reason())
    if (reasons_.insert(reason).second) added.add(reason, processes);
  std::vector<std::string> lines = added.lines();
  for (const std::string& machine : answer.silent)
    if (silent_.insert(machine).second) lines.push_back(fmt::format("machine {} has not answered", machine));
  if (answer.left_out > 0 && !std::exchange(was_left_out_, true))
    lines.push_back(fmt::format(
        "{} more functions, processes or values did not fit into the answer; choose fewer", answer.left_out));
  return lines;
}

}  // namespace eventspace
