#include "monitors/probing/nodes/node_orders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

#include <eventspace/error.h>
#include "monitors/cli/command.h"
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/nodes/new_problems.h"
#include "monitors/probing/nodes/spread_table.h"
#include "monitors/probing/work/process_segments.h"
#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

using std::chrono::steady_clock;

std::vector<PhaseValue> values_in(const GroupAnswer& answer) {
  std::vector<PhaseValue> values;
  for (const auto& [process, variable, value] : answer.readings) values.push_back({process, variable, value});
  return values;
}

/// Waits until the time is over or a signal comes. The work serves its network during this.
std::chrono::nanoseconds wait(GroupWork& work, const std::optional<std::chrono::nanoseconds>& time,
                              StopSignals& signals) {
  constexpr std::chrono::nanoseconds step = std::chrono::milliseconds(100);
  const auto begun = steady_clock::now();
  while (!signals.stopped()) {
    const auto left = time ? *time - (steady_clock::now() - begun) : step;
    if (left.count() <= 0) break;
    work.wait(std::min(left, step));
  }
  return steady_clock::now() - begun;
}

/// Gives the order to read variables in each phase, and reports new problems.
class VariableWatch {
 public:
  VariableWatch(GroupWork& work, const GroupOrder& order, Format format)
      : work_(work), order_(order), writer_(format) {}

  /// On the first order, machines look the variables up, which takes longer; afterwards they do it only for
  /// new processes. Returns whether any variable can be read.
  bool begin() {
    const GroupAnswer first = work_.carry_out(order_);
    status_ = report_answer(first, "can be read");
    (void)problems_.lines_of(first);
    silent_ = first.silent;
    return !first.readings.empty();
  }

  /// Returns whether there may be processes in the next phase. A machine that has not answered may have some,
  /// unless it did not answer the time before either.
  bool read(std::chrono::nanoseconds since) {
    const GroupAnswer answer = work_.carry_out(order_);
    for (const std::string& line : problems_.lines_of(answer)) print_message(line);
    writer_.write(since, values_in(answer));
    const std::vector<std::string> before = std::exchange(silent_, answer.silent);
    return answer.processes > 0 || std::ranges::any_of(silent_, [&](const std::string& machine) {
             return std::ranges::find(before, machine) == before.end();
           });
  }

  [[nodiscard]] int status() const { return problems_.were_any() ? exit_unreachable : status_; }

 private:
  GroupWork& work_;
  const GroupOrder& order_;
  PhaseWriter writer_;
  NewProblems problems_;
  std::vector<std::string> silent_;  // of the last answer
  int status_{exit_fine};
};

FunctionPatterns functions_of(const ProbeRequest& request) {
  return {request.patterns, request.modules, request.callers};
}

std::string text_of(const NumberSpread::Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

/// Reports the final values of the variables of probes.
void report_variables(const std::vector<VariableSpread>& variables) {
  for (const VariableSpread& variable : variables)
    if (const std::string line = line_of(variable); !line.empty()) print_message(line);
}

struct Measuring {
  StopSignals& signals;
  std::string done;  ///< the verb for processes with probes
  std::string hint;  ///< shown once the probes are in, if not empty
  std::function<void(const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds watched)> show;
};

/// Puts probes in, waits, takes them out, and shows their counts.
int measure(GroupWork& work, GroupOrder order, const ProbeRequest& request, const Measuring& measuring) {
  const GroupAnswer placed = work.carry_out(order);
  const int status =
      report_answer(placed, fmt::format("{} ({})", measuring.done, counted(placed.probes, "probe")));
  if (placed.done == 0) return exit_unreachable;
  if (!measuring.hint.empty()) print_message(measuring.hint);
  const auto watched = wait(work, request.duration, measuring.signals);
  order.command = RemoveProbes();
  const GroupAnswer removed = work.carry_out(order);
  (void)report_answer(removed,
                      fmt::format("were measured to the end; {} removed", counted(removed.probes, "probe")));
  report_variables(removed.variables);
  measuring.show(removed.functions, watched);
  return removed.silent.empty() && removed.failed == 0 ? status : exit_unreachable;
}

}  // namespace

std::string line_of(const VariableSpread& variable) {
  const auto& [name, numbers] = variable;
  const std::string missing = counted(numbers.missing, "process");
  if (numbers.count == 0)
    return numbers.missing == 0 ? "" : fmt::format("{} is not a number in {}", name, missing);
  const std::string and_missing =
      numbers.missing == 0 ? "" : fmt::format("; in {} it is not a number", missing);
  if (numbers.count == 1)
    return fmt::format("process {}: {} is {}{}", numbers.least_at, name, text_of(numbers.least), and_missing);
  return fmt::format("{}: mean {} over {}, minimum {} ({}), maximum {} ({}){}", name, numbers.mean(),
                     counted(numbers.count, "process"), text_of(numbers.least), numbers.least_at,
                     text_of(numbers.greatest), numbers.greatest_at, and_missing);
}

GroupOrder order_for(GroupCommand command, const NodeChoice& nodes, const ProcessChoice& processes) {
  GroupOrder order;
  order.choice = processes_on(nodes, processes);
  check_choice(order.choice);
  if (!order.choice.named_groups().empty()) order.groups = groups_needed(order.choice, NamedGroups::all());
  order.command = std::move(command);
  check_order(order);
  return order;
}

int report_answer(const GroupAnswer& answer, const std::string& done) {
  for (const std::string& line : NewProblems().lines_of(answer)) print_message(line);
  if (answer.processes == 0 && answer.refusals.is_empty()) print_message("no process matches on any machine");
  const std::string stop =
      answer.longest_stop.count() == 0
          ? ""
          : fmt::format("; threads were stopped for at most {}", short_duration(answer.longest_stop));
  print_message(fmt::format("{} of {} {}{}", answer.done, counted(answer.processes, "process"), done, stop));
  return answer.done > 0 && answer.done == answer.processes && answer.silent.empty() ? exit_fine
                                                                                     : exit_unreachable;
}

int probe_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, Format format, bool has_histogram) {
  const GroupOrder order =
      order_for(PlaceProbes{functions_of(request), request.task, has_histogram}, nodes, request.processes);
  // Set up before the threads of the network are started, and before the first probe is in.
  StopSignals signals;
  const auto work = work_on(nodes);
  const auto show = [&](const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds watched) {
    const ResultTable table = has_histogram ? spread_histogram_table(functions, format)
                                            : spread_table(functions, watched, request.compiled, format);
    table.print(std::cout, format);
  };
  return measure(*work, order, request, {signals, "have probes", "", show});
}

int attach_on_nodes(const ProbeRequest& request, std::string session, const NodeChoice& nodes,
                    Format format) {
  RecordCalls command{functions_of(request), request.task, session.empty() ? "session" : session};
  GroupOrder order = order_for(command, nodes, request.processes);  // checks it, with a session for now
  StopSignals signals;
  const auto work = work_on(nodes);
  if (session.empty()) {
    const GroupAnswer listed = work->carry_out(order_for(ListProcesses(), nodes, request.processes));
    if (listed.members.empty()) return report_answer(listed, "were found");
    session = made_plain(listed.members.front().name, longest_program_name);
  }
  command.session = session;
  order.command = command;
  const auto show = [&](const std::vector<FunctionSpread>& functions, std::chrono::nanoseconds watched) {
    spread_table(functions, watched, request.compiled, format).print(std::cout, format);
  };
  return measure(*work, order, request,
                 {signals, fmt::format("record in session {}", session),
                  fmt::format("watch it on each machine with `eventspace events {}`", session), show});
}

int switch_on_nodes(const ProbeRequest& request, const NodeChoice& nodes, ProbeState to) {
  const GroupOrder order = order_for(SwitchProbes{functions_of(request), to}, nodes, request.processes);
  const auto work = work_on(nodes);
  const GroupAnswer answer = work->carry_out(order);
  return report_answer(
      answer, fmt::format("have the probes {} ({})", done_text(to), counted(answer.probes, "probe")));
}

int read_variables_on_nodes(const VariablePhases& phases, const NodeChoice& nodes) {
  const GroupOrder order = order_for(ReadVariables{phases.variables}, nodes, phases.processes);
  StopSignals signals;
  const auto work = work_on(nodes);
  VariableWatch watch(*work, order, phases.format);
  if (!watch.begin()) return exit_unreachable;
  for_phases(
      phases, [&](std::chrono::nanoseconds since) { return watch.read(since); },
      [&](std::chrono::nanoseconds left) {
        work->wait(std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(100)));
        return signals.stopped();
      });
  return watch.status();
}

int detach_on_nodes(const ProcessChoice& processes, const NodeChoice& nodes) {
  const GroupOrder order = order_for(RemoveAllProbes(), nodes, processes);
  const auto work = work_on(nodes);
  const GroupAnswer answer = work->carry_out(order);
  return report_answer(answer,
                       fmt::format("have no more probes ({} removed)", counted(answer.probes, "probe")));
}

}  // namespace eventspace
