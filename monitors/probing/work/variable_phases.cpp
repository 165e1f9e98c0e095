#include "monitors/probing/work/variable_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>
#include <variant>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/cli/result_table.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/variables/program_variable.h"
#include "tuplespace/processes/descriptor_limit.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

std::vector<ProgramVariable> find_all(const VariablePhases& order, GroupedRefusals& refused) {
  std::vector<VariableName> names;
  for (const std::string& text : order.variables) names.push_back(parse_variable(text));
  std::vector<ProgramVariable> found;
  for (const std::int32_t pid : chosen_processes(order.processes)) {
    std::shared_ptr<const ProcessMemory> memory;
    for (const VariableName& name : names) {
      try {
        if (!memory) memory = std::make_shared<const ProcessMemory>(pid);
        found.emplace_back(memory, name);
      } catch (const EnvironmentError& error) {
        refused.add(pid, error.what());
      }
    }
  }
  return found;
}

/// The current values. Processes that have ended are left out from then on.
std::vector<PhaseValue> values_of(std::vector<ProgramVariable>& variables) {
  std::vector<PhaseValue> values;
  std::erase_if(variables, [&](const ProgramVariable& variable) {
    try {
      values.push_back({variable.pid(), variable.name(), variable.read()});
      return false;
    } catch (const EnvironmentError&) {
      return true;
    }
  });
  return values;
}

}  // namespace

void PhaseWriter::write(nanoseconds since, const std::vector<PhaseValue>& values) {
  ResultTable table({"time_s", "process", "variable", "value"});
  const double seconds = std::chrono::duration<double>(since).count();
  for (const auto& [process, variable, value] : values)
    table.add({std::round(seconds * 1e6) / 1e6, process, variable,
               std::visit([](auto read) { return Json(read); }, value)});
  if (table.is_empty()) return;
  std::ostringstream text;
  table.print(text, format_);
  std::string lines = text.str();
  if (std::exchange(has_head_, true) && format_ != Format::json) lines.erase(0, lines.find('\n') + 1);
  std::cout << lines << std::flush;
}

void for_phases(const VariablePhases& order, const std::function<bool(nanoseconds)>& read,
                const std::function<bool(nanoseconds)>& wait) {
  const auto begun = steady_clock::now();
  for (auto next = begun; read(steady_clock::now() - begun) && order.phase;) {
    next = std::max(next + *order.phase, steady_clock::now());
    if (order.duration && next - begun > *order.duration) return;
    for (auto left = next - steady_clock::now(); left.count() > 0; left = next - steady_clock::now())
      if (wait(left)) return;
  }
}

int read_variables(const VariablePhases& order) {
  GroupedRefusals refused;
  StopSignals signals;
  (void)raise_descriptor_limit();
  PhaseWriter writer(order.format);
  std::vector<ProgramVariable> variables = find_all(order, refused);
  refused.report();
  for_phases(
      order,
      [&](nanoseconds since) {
        writer.write(since, values_of(variables));
        return !variables.empty();
      },
      [&](nanoseconds left) { return signals.wait_for(left); });
  return refused.is_empty() ? exit_fine : exit_unreachable;
}

}  // namespace eventspace
