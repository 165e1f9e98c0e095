#pragma once

// Private to monitors/.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scopes/expressions/machine_code.h"

namespace eventspace {

/// What probes do when they are passed, beside counting. Expressions are of the house's language
/// (docs/expressions.md), over the numbers that probe_fields() lists instead of the fields of events.
struct ProbeTask {
  bool has_times{false};  ///< measures calls from entry to exit
  std::string when;       ///< a condition: which calls count; empty: all
  std::uint64_t every{1};
  std::vector<std::string> values;  ///< numbers or durations, of which sum, least and greatest are kept

  friend bool operator==(const ProbeTask&, const ProbeTask&) = default;
};

/// A task, checked and compiled.
struct CompiledTask {
  bool is_counting{true};  ///< it only counts calls: the probe can have the shortest code
  bool has_exits{false};   ///< probes at exits are needed, too
  std::uint64_t every{1};
  std::optional<MachineCode> when;
  bool is_when_at_exit{false};
  std::vector<MachineCode> values;

  /// Which numbers all its expressions together read: by bit, see measuring::Place.
  [[nodiscard]] std::uint32_t places() const noexcept;
  /// By bit: whether a value is a real number.
  [[nodiscard]] std::uint32_t real_values() const noexcept;
};

/// `arg0` to `arg5`, `int0` to `int5`, `double0` to `double7`, `float0` to `float7`, `result`, `int_result`,
/// `double_result`, `float_result`, `duration`.
std::vector<MachineField> probe_fields();

/// Throws ConfigurationError that names the option and the column if an expression has a fault, there are
/// more than measuring::most_values values, or one has too much code.
CompiledTask compile_task(const ProbeTask& task);

}  // namespace eventspace
