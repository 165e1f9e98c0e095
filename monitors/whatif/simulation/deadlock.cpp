#include "monitors/whatif/simulation/deadlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>

namespace eventspace::whatif {

std::string explain_deadlock(const Program& program, const std::vector<TaskRuns::Waiting>& waiting) {
  constexpr std::size_t shown = 10;
  std::unordered_map<std::uint32_t, const TaskRuns::Waiting*> by_task;
  for (const TaskRuns::Waiting& one : waiting) by_task.emplace(one.task, &one);
  // Each task waits for one other task, so the chain from any task ends in a cycle or at a task that has
  // ended.
  std::vector<const TaskRuns::Waiting*> way;
  std::unordered_map<std::uint32_t, std::size_t> place;
  const TaskRuns::Waiting* at = &waiting.front();
  while (at != nullptr && place.try_emplace(at->task, way.size()).second) {
    way.push_back(at);
    const auto next = by_task.find(at->for_task);
    at = next == by_task.end() ? nullptr : next->second;
  }
  std::string text = "the program never ends: ";
  if (at != nullptr) {
    way.erase(way.begin(), way.begin() + static_cast<std::ptrdiff_t>(place[at->task]));
    text +=
        way.size() == 1 ? "a task waits for itself" : fmt::format("{} tasks wait for each other", way.size());
  } else {
    way.erase(way.begin(), way.end() - 1);
    text += fmt::format("{} has ended", program.name_of(way.back()->for_task));
  }
  for (std::size_t i = 0; i < std::min(shown, way.size()); ++i)
    text +=
        fmt::format("{}{}: {} in {}", i == 0 ? "; " : ", ", program.place_of(way[i]->task, way[i]->action),
                    program.name_of(way[i]->task), program.describe(way[i]->task, way[i]->action));
  if (way.size() > shown) text += fmt::format(", and {} more", way.size() - shown);
  if (waiting.size() > way.size())
    text += fmt::format("; {} other tasks wait because of this", waiting.size() - way.size());
  return text;
}

}  // namespace eventspace::whatif
