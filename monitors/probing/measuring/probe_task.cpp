#include "monitors/probing/measuring/probe_task.h"

#include <fmt/format.h>

#include <array>

#include "monitors/probing/measuring/measuring_layout.h"
#include "scopes/expressions/expression.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

constexpr std::uint32_t at_exit_only = 1u << measuring::result | 1u << measuring::duration;

MachineCode compile(const std::string& option, const std::string& text, std::span<const ValueType> allowed) {
  constexpr std::size_t most_bytes = 16384;
  try {
    MachineCode code = compile_to_machine_code(text, allowed, probe_fields());
    if (code.code.size() > most_bytes) throw ExpressionError(0, "has too many operators for a probe");
    return code;
  } catch (const ExpressionError& error) {
    throw ConfigurationError(fmt::format("{} '{}': {}", option, text, error.what()));
  }
}

}  // namespace

std::vector<MachineField> probe_fields() {
  static constexpr std::array<const char*, 6> arguments{"arg0", "arg1", "arg2", "arg3", "arg4", "arg5"};
  static constexpr std::array<const char*, 6> halves{"int0", "int1", "int2", "int3", "int4", "int5"};
  std::vector<MachineField> fields;
  for (std::uint8_t i = 0; i < arguments.size(); ++i)
    fields.push_back({arguments[i], ValueType::number, i, false});
  for (std::uint8_t i = 0; i < halves.size(); ++i) fields.push_back({halves[i], ValueType::number, i, true});
  fields.push_back({"result", ValueType::number, measuring::result, false});
  fields.push_back({"int_result", ValueType::number, measuring::result, true});
  fields.push_back({"duration", ValueType::duration, measuring::duration, false});
  return fields;
}

CompiledTask compile_task(const ProbeTask& task) {
  constexpr std::array condition{ValueType::boolean};
  constexpr std::array quantity{ValueType::number, ValueType::duration};
  if (task.values.size() > measuring::most_values)
    throw ConfigurationError(fmt::format("--value was given {} times; a probe has at most {}",
                                         task.values.size(), measuring::most_values));
  CompiledTask compiled;
  compiled.has_exits = task.has_times;
  compiled.every = task.every;
  if (!task.when.empty()) {
    compiled.when = compile("--when", task.when, condition);
    compiled.is_when_at_exit = (compiled.when->places & at_exit_only) != 0;
    compiled.has_exits |= compiled.is_when_at_exit;
  }
  for (const std::string& value : task.values) {
    compiled.values.push_back(compile("--value", value, quantity));
    compiled.has_exits |= (compiled.values.back().places & at_exit_only) != 0;
  }
  compiled.is_counting =
      !compiled.has_exits && !compiled.when && compiled.values.empty() && compiled.every <= 1;
  return compiled;
}

}  // namespace eventspace
