#include "monitors/probing/variables/variable_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <utility>
#include <variant>

#include "monitors/cli/command.h"
#include "monitors/cli/result_table.h"
#include "monitors/cli/stop_signals.h"
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/variables/program_variable.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

std::vector<ProgramVariable> find_all(const VariablePhases& order, GroupedRefusals& refused) {
  std::vector<VariableName> names;
  for (const std::string& text : order.variables) names.push_back(parse_variable(text));
  std::vector<ProgramVariable> found;
  for (const std::int32_t pid : chosen_processes(order.processes)) {
    for (const VariableName& name : names) {
      try {
        found.emplace_back(pid, name);
      } catch (const EnvironmentError& error) {
        refused.add(pid, error.what());
      }
    }
  }
  return found;
}

/// The rows of a phase. Those of processes that have ended are left out from then on.
class PhaseRows {
 public:
  PhaseRows(std::vector<ProgramVariable> variables, Format format)
      : variables_(std::move(variables)), format_(format) {}

  [[nodiscard]] bool is_empty() const noexcept { return variables_.empty(); }
  void write(nanoseconds since) {
    ResultTable table({"time_s", "process", "variable", "value"});
    std::erase_if(variables_, [&](const ProgramVariable& variable) {
      try {
        const Json value = std::visit([](auto read) { return Json(read); }, variable.read());
        const double seconds = std::chrono::duration<double>(since).count();
        table.add({std::round(seconds * 1e6) / 1e6, variable.pid(), variable.name(), value});
        return false;
      } catch (const EnvironmentError&) {
        return true;
      }
    });
    if (table.is_empty()) return;
    std::ostringstream text;
    table.print(text, format_);
    std::string lines = text.str();
    if (std::exchange(has_head_, true) && format_ != Format::json) lines.erase(0, lines.find('\n') + 1);
    std::cout << lines << std::flush;
  }

 private:
  std::vector<ProgramVariable> variables_;
  Format format_;
  bool has_head_{false};
};

}  // namespace

int read_variables(const VariablePhases& order) {
  GroupedRefusals refused;
  StopSignals signals;
  PhaseRows rows(find_all(order, refused), order.format);
  refused.report();
  const auto begun = steady_clock::now();
  for (auto next = begun; !rows.is_empty();) {
    rows.write(steady_clock::now() - begun);
    if (!order.phase) break;
    next = std::max(next + *order.phase, steady_clock::now());
    if (order.duration && next - begun > *order.duration) break;
    if (signals.wait_for(next - steady_clock::now())) break;
  }
  return refused.is_empty() ? exit_fine : exit_unreachable;
}

}  // namespace eventspace
