#include "monitors/probing/measuring/probe_task.h"

#include <fmt/format.h>

#include <array>

#include "monitors/probing/measuring/measuring_layout.h"
#include "scopes/expressions/expression.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

constexpr std::uint32_t at_exit_only =
    1u << measuring::result | 1u << measuring::duration | 1u << measuring::real_result;

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
  static constexpr std::array arguments{"arg0", "arg1", "arg2", "arg3", "arg4", "arg5"};
  static constexpr std::array halves{"int0", "int1", "int2", "int3", "int4", "int5"};
  static constexpr std::array reals{"double0", "double1", "double2", "double3",
                                    "double4", "double5", "double6", "double7"};
  static constexpr std::array short_reals{"float0", "float1", "float2", "float3",
                                          "float4", "float5", "float6", "float7"};
  std::vector<MachineField> fields;
  const auto add_all = [&fields](const auto& names, std::uint8_t first, MachineForm form) {
    for (const char* const name : names) fields.push_back({name, ValueType::number, first++, form});
  };
  add_all(arguments, measuring::argument0, MachineForm::whole);
  add_all(halves, measuring::argument0, MachineForm::half);
  add_all(reals, measuring::real_argument0, MachineForm::real);
  add_all(short_reals, measuring::real_argument0, MachineForm::short_real);
  fields.push_back({"result", ValueType::number, measuring::result, MachineForm::whole});
  fields.push_back({"int_result", ValueType::number, measuring::result, MachineForm::half});
  fields.push_back({"double_result", ValueType::number, measuring::real_result, MachineForm::real});
  fields.push_back({"float_result", ValueType::number, measuring::real_result, MachineForm::short_real});
  fields.push_back({"duration", ValueType::duration, measuring::duration, MachineForm::whole});
  return fields;
}

std::uint32_t CompiledTask::places() const noexcept {
  std::uint32_t all = when ? when->places : 0;
  for (const MachineCode& value : values) all |= value.places;
  return all;
}

std::uint32_t CompiledTask::real_values() const noexcept {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < values.size(); ++i) bits |= (values[i].is_real ? 1u : 0u) << i;
  return bits;
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
