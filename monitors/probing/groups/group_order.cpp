#include "monitors/probing/groups/group_order.h"

#include <eventspace/error.h>
#include "monitors/probing/groups/process_options.h"
#include "monitors/probing/variables/program_variable.h"
#include "pathmaps/plan/session_plan.h"

namespace eventspace {
namespace {

void check_names(const std::vector<std::string>& names) {
  if (names.empty()) throw ConfigurationError("an order for functions or variables has no names");
}

void check_functions(const std::vector<std::string>& patterns, const std::string& modules) {
  check_names(patterns);
  for (const std::string& pattern : patterns) require_function_pattern(pattern);
  require_glob("the pattern of --module", modules);
}

void check_functions(const FunctionPatterns& functions) {
  check_functions(functions.patterns, functions.modules);
  require_function_pattern(functions.callers);
}

/// Checks the fields of a command.
struct CommandCheck {
  void operator()(const ListProcesses& /*command*/) const {}
  void operator()(const PlaceProbes& command) const {
    check_functions(command.functions);
    (void)compile_task(command.task);
  }
  void operator()(const RecordCalls& command) const {
    check_functions(command.functions);
    (void)compile_task(command.task);
    check_session_name(command.session);
  }
  void operator()(const ReadProbes& /*command*/) const {}
  void operator()(const RemoveProbes& /*command*/) const {}
  void operator()(const RemoveAllProbes& /*command*/) const {}
  void operator()(const SwitchProbes& command) const { check_functions(command.functions); }
  void operator()(const StopProcesses& /*command*/) const {}
  void operator()(const ContinueProcesses& /*command*/) const {}
  void operator()(const SwitchRecording& /*command*/) const {}
  void operator()(const ListCallees& command) const { check_functions(command.callers, command.modules); }
  void operator()(const ReadVariables& command) const {
    check_names(command.variables);
    for (const std::string& variable : command.variables) (void)parse_variable(variable);
  }
};

}  // namespace

void check_order(const GroupOrder& order) {
  check_choice(order.choice);
  check_groups(order.choice, order.groups);
  std::visit(CommandCheck(), order.command);
}

}  // namespace eventspace
