#include "monitors/whatif/actions/program.h"

#include <fmt/format.h>

namespace eventspace::whatif {

std::size_t Program::actions() const noexcept {
  std::size_t count = 0;
  for (const Task& task : tasks) count += task.actions.size();
  return count;
}

std::string Program::short_name_of(std::uint32_t task) const {
  return tasks[task].name.empty() ? std::to_string(task) : tasks[task].name;
}

std::string Program::name_of(std::uint32_t task) const {
  if (task >= tasks.size() || tasks[task].name.empty()) return fmt::format("task {}", task);
  return fmt::format("task {} ({})", task, tasks[task].name);
}

std::string Program::place_of(std::uint32_t task, std::size_t action) const {
  const Task& of = tasks[task];
  if (action < of.lines.size()) return fmt::format("{}:{}", source, of.lines[action]);
  return fmt::format("action {} of {}", action + 1, name_of(task));
}

std::string Program::describe(std::uint32_t task, std::size_t action) const {
  const Action& of = tasks[task].actions[action];
  const auto message = [&](const char* what) {
    return fmt::format("{} {} (tag {}, group {})", what, name_of(of.peer), of.tag, of.group);
  };
  switch (of.kind) {
    case ActionKind::compute:
      return "compute";
    case ActionKind::idle:
      return "idle";
    case ActionKind::overhead:
      return "overhead";
    case ActionKind::send:
    case ActionKind::isend:
      return message("send to");
    case ActionKind::receive:
    case ActionKind::ireceive:
      return message("receive from");
    case ActionKind::wait:
      return "wait for a request";
    case ActionKind::multicast:
      return "multicast";
    case ActionKind::group:
      return fmt::format("{} of group {}", group_operation_words[static_cast<std::size_t>(of.operation)],
                         of.group);
  }
  return "";
}

}  // namespace eventspace::whatif
