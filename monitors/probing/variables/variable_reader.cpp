#include "monitors/probing/variables/variable_reader.h"

#include <algorithm>

#include <eventspace/error.h>

namespace eventspace {

void VariableReader::look_up(std::int32_t pid, const std::string& variable, Process& process, Known& known) {
  constexpr std::uint32_t longest_pause = 1024;
  if (known.pause_left > 0) {
    --known.pause_left;
    return;
  }
  try {
    const VariableName name = parse_variable(variable);
    if (!process.memory) process.memory = std::make_shared<const ProcessMemory>(pid);
    known.variable.emplace(process.memory, name);
  } catch (const Error& error) {
    known.refusal = error.what();
    known.pause_left = known.pause;
    known.pause = std::clamp(2 * known.pause, std::uint32_t{1}, longest_pause);
    // Without variables, the memory need not belong to the program that runs now.
    if (process.memory.use_count() == 1) process.memory.reset();
  }
}

VariableReader::Reading VariableReader::read(std::int32_t pid, const std::string& variable) {
  Process& process = processes_[pid];
  Known& known = process.variables[variable];
  known.was_read = true;
  if (!known.variable) look_up(pid, variable, process, known);
  if (!known.variable) return {std::nullopt, known.refusal};
  try {
    return {known.variable->read(), {}};
  } catch (const EnvironmentError& error) {
    processes_.erase(pid);  // it runs another program now, or its id was reused
    return {std::nullopt, error.what()};
  }
}

void VariableReader::forget_unread() {
  for (auto& [pid, process] : processes_) {
    std::erase_if(process.variables, [](const auto& one) { return !one.second.was_read; });
    for (auto& [name, known] : process.variables) known.was_read = false;
  }
  std::erase_if(processes_, [](const auto& one) { return one.second.variables.empty(); });
}

}  // namespace eventspace
