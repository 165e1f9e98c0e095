#include "monitors/probing/measuring/probe_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/measuring/measuring_layout.h"
#include "monitors/probing/symbols/function_names.h"
#include "scopes/expressions/expression.h"

namespace eventspace {
namespace {

constexpr std::uint32_t at_exit_only =
    1u << measuring::result | 1u << measuring::duration | 1u << measuring::real_result;

MachineCode compile(const std::string& option, const std::string& text, std::span<const ValueType> allowed,
                    std::span<const MachineField> fields) {
  constexpr std::size_t max_bytes = 16384;
  try {
    MachineCode code = compile_to_machine_code(text, allowed, fields);
    if (code.code.size() > max_bytes) throw ExpressionError(0, "has too many operators for a probe");
    return code;
  } catch (const ExpressionError& error) {
    throw ConfigurationError(fmt::format("{} '{}': {}", option, text, error.what()));
  }
}

/// The parts of "NAME = EXPR at PATTERN".
struct LetParts {
  std::string name;
  std::string expression;
  std::string pattern;
  bool adds{false};
  bool is_at_exit{false};
};

LetParts parts_of(const std::string& text) {
  const auto fail = [&text](std::string_view what) {
    throw ConfigurationError(fmt::format(
        "--set '{}' {}; expected 'NAME = NUMBER at PATTERN', with += to add and 'after' for exits", text,
        what));
  };
  LetParts parts;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) fail("sets no variable");
  parts.adds = text[equals - 1] == '+';
  parts.name = text.substr(0, equals - (parts.adds ? 1 : 0));
  parts.name.erase(parts.name.find_last_not_of(' ') + 1);
  // These words are refused as names, so they do not occur in expressions.
  const std::size_t at = text.find(" at ", equals);
  const std::size_t after = text.find(" after ", equals);
  parts.is_at_exit = after < at;
  const std::size_t end = std::min(at, after);
  if (end == std::string::npos) fail("names no functions");
  parts.expression = text.substr(equals + 1, end - equals - 1);
  parts.pattern = text.substr(end + (parts.is_at_exit ? 7 : 4));
  if (parts.pattern.empty()) fail("names no functions");
  return parts;
}

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 32 && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_word_of_expressions(std::string_view name) {
  static constexpr std::array words{"and", "or", "not", "matches", "true", "false", "at", "after"};
  return std::ranges::find(words, name) != words.end();
}

/// Compiles lets, and keeps the fields of expressions together with their variables.
class Lets {
 public:
  explicit Lets(CompiledTask& task) : task_(task) { task_.variables.reserve(measuring::max_variables); }

  [[nodiscard]] std::vector<MachineField> fields() const {
    std::vector<MachineField> fields = probe_fields();
    for (std::size_t i = 0; i < task_.variables.size(); ++i)
      fields.push_back({task_.variables[i].name, ValueType::number,
                        static_cast<std::uint8_t>(measuring::variable0 + i),
                        task_.variables[i].is_real ? MachineForm::real : MachineForm::whole});
    return fields;
  }

  void add(const std::string& text) {
    const LetParts parts = parts_of(text);
    require_function_pattern(parts.pattern);
    const auto [variable, is_new] = variable_of(parts.name, text);
    constexpr std::array number{ValueType::number};
    CompiledLet let{text,       parts.pattern,    variable,
                    parts.adds, parts.is_at_exit, compile("--set", parts.expression, number, fields())};
    check_form(let, is_new);
    check_places(let);
    task_.lets.push_back(std::move(let));
  }

 private:
  std::pair<std::uint8_t, bool> variable_of(const std::string& name, const std::string& text) {
    const auto known = std::ranges::find(task_.variables, name, &ProbeVariable::name);
    if (known != task_.variables.end())
      return {static_cast<std::uint8_t>(known - task_.variables.begin()), false};
    const auto fields = probe_fields();
    if (!is_name(name) || is_word_of_expressions(name) ||
        std::ranges::find(fields, name, &MachineField::name) != fields.end())
      throw ConfigurationError(fmt::format(
          "--set '{}': '{}' cannot be a variable; expected a name of letters, digits and '_' that "
          "is not a field or word of expressions",
          text, name));
    task_.variables.push_back({name, false});
    return {static_cast<std::uint8_t>(task_.variables.size() - 1), true};
  }

  // The first let of a variable decides whether it is real.
  void check_form(const CompiledLet& let, bool is_new) {
    ProbeVariable& variable = task_.variables[let.variable];
    if (is_new && let.code.is_real && (let.code.places >> (measuring::variable0 + let.variable) & 1) == 0)
      variable.is_real = true;
    if (variable.is_real != let.code.is_real)
      throw ConfigurationError(fmt::format(
          "--set '{}': the first --set of '{}' makes it {} number, and this one gives it {} number (1.0 "
          "is real, 1 is whole)",
          let.text, variable.name, variable.is_real ? "a real" : "a whole",
          let.code.is_real ? "a real" : "a whole"));
  }

  static void check_places(const CompiledLet& let) {
    constexpr std::uint32_t results = 1u << measuring::result | 1u << measuring::real_result;
    constexpr std::uint32_t everywhere = ~0u << measuring::variable0 | 1u << measuring::thread;
    constexpr std::uint32_t duration = 1u << measuring::duration;
    const std::uint32_t unknown = let.is_at_exit ? ~(results | everywhere) : results | duration;
    if ((let.code.places & unknown) != 0)
      throw ConfigurationError(
          fmt::format("--set '{}': 'at' can use arguments, 'after' can use results, and both can use the "
                      "thread and variables",
                      let.text));
  }

  CompiledTask& task_;
};

void compile_lets(const ProbeTask& task, Lets& lets) {
  if (task.lets.size() > measuring::max_lets)
    throw ConfigurationError(fmt::format("--set was given {} times; at most {} are allowed", task.lets.size(),
                                         measuring::max_lets));
  for (const std::string& let : task.lets) lets.add(let);
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
  fields.push_back({"thread", ValueType::number, measuring::thread, MachineForm::whole});
  fields.push_back({"duration", ValueType::duration, measuring::duration, MachineForm::whole});
  return fields;
}

std::variant<std::int64_t, double> ProbeVariable::number(std::uint64_t bits) const noexcept {
  if (is_real) return std::bit_cast<double>(bits);
  return std::bit_cast<std::int64_t>(bits);
}

std::uint32_t CompiledTask::places() const noexcept {
  std::uint32_t all = when ? when->places : 0;
  for (const MachineCode& value : values) all |= value.places;
  for (const CompiledLet& let : lets) all |= let.code.places;
  return all;
}

std::uint32_t CompiledTask::real_values() const noexcept {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < values.size(); ++i) bits |= (values[i].is_real ? 1u : 0u) << i;
  return bits;
}

std::optional<std::chrono::nanoseconds> checked_phase(std::optional<std::chrono::nanoseconds> phase) {
  using std::chrono::nanoseconds;
  if (!phase) return phase;
  if (*phase <= nanoseconds{}) throw ConfigurationError("--phase needs a time longer than 0, such as 100ms");
  // A longer phase would overflow when it is added to a time, or counted in ticks.
  constexpr nanoseconds longest = std::chrono::hours(24 * 366);
  return std::min(*phase, longest);
}

CompiledTask compile_task(const ProbeTask& task) {
  constexpr std::array condition{ValueType::boolean};
  constexpr std::array quantity{ValueType::number, ValueType::duration};
  if (task.values.size() > measuring::max_values)
    throw ConfigurationError(fmt::format("--value was given {} times; at most {} are allowed",
                                         task.values.size(), measuring::max_values));
  CompiledTask compiled;
  compiled.has_exits = task.has_times;
  compiled.every = task.every;
  compiled.phase = checked_phase(task.phase);
  Lets lets(compiled);
  compile_lets(task, lets);
  const std::vector<MachineField> fields = lets.fields();
  if (!task.when.empty()) {
    compiled.when = compile("--when", task.when, condition, fields);
    compiled.is_when_at_exit = (compiled.when->places & at_exit_only) != 0;
    compiled.has_exits |= compiled.is_when_at_exit;
  }
  for (const std::string& value : task.values) {
    compiled.values.push_back(compile("--value", value, quantity, fields));
    compiled.has_exits |= (compiled.values.back().places & at_exit_only) != 0;
  }
  compiled.is_counting = !compiled.has_exits && !compiled.when && compiled.values.empty() &&
                         compiled.every <= 1 && !compiled.phase && compiled.lets.empty();
  return compiled;
}

}  // namespace eventspace
