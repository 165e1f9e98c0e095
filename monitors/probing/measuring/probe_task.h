#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scopes/expressions/machine_code.h"

namespace eventspace {

/// The work of probes when they are passed, besides counting. Expressions are in the expression language
/// (docs/expressions.md), over the numbers that probe_fields() lists instead of the fields of events.
struct ProbeTask {
  bool has_times{false};  ///< measures calls from entry to exit
  std::string when{};     ///< a condition for calls that count; empty: all
  std::uint64_t every{1};
  std::vector<std::string> values{};  ///< numbers or durations; their sum, least and greatest are kept
  /// For each function, only one call counts in each interval of this length: the first for which the
  /// condition holds.
  std::optional<std::chrono::nanoseconds> phase{};
  /// Variables that probes change, and that the expressions can read: "NAME = EXPR at PATTERN" where
  /// functions are entered, "NAME += EXPR after PATTERN" where they are left. They are numbers, and initially
  /// 0.
  std::vector<std::string> lets{};

  friend bool operator==(const ProbeTask&, const ProbeTask&) = default;
};

/// One of ProbeTask::lets, checked and compiled.
struct CompiledLet {
  std::string text;
  std::string pattern;  ///< for functions (name_matches())
  std::uint8_t variable{0};
  bool adds{false};
  bool is_at_exit{false};
  MachineCode code;
};

/// A number that probes share.
struct ProbeVariable {
  std::string name;
  bool is_real{false};

  /// The number with these bits.
  [[nodiscard]] std::variant<std::int64_t, double> number(std::uint64_t bits) const noexcept;
};

/// A task, checked and compiled.
struct CompiledTask {
  bool is_counting{true};  ///< it only counts calls, so its probes can have the shortest code
  bool has_exits{false};   ///< probes at exits are needed, too
  std::uint64_t every{1};
  std::optional<MachineCode> when;
  bool is_when_at_exit{false};
  std::vector<MachineCode> values;
  std::optional<std::chrono::nanoseconds> phase;
  std::vector<CompiledLet> lets;
  std::vector<ProbeVariable> variables;

  /// The numbers that its expressions read, as bits: see measuring::Place.
  [[nodiscard]] std::uint32_t places() const noexcept;
  /// As bits: which values are real numbers.
  [[nodiscard]] std::uint32_t real_values() const noexcept;
};

/// `arg0` to `arg5`, `int0` to `int5`, `double0` to `double7`, `float0` to `float7`, `result`, `int_result`,
/// `double_result`, `float_result`, `thread` (its kernel id), `duration`.
std::vector<MachineField> probe_fields();

/// Limits a phase to a year, so that it can be added to times. Throws ConfigurationError if it is 0 or less.
std::optional<std::chrono::nanoseconds> checked_phase(std::optional<std::chrono::nanoseconds> phase);

/// Throws ConfigurationError that names the option and the column if an expression is invalid or has too much
/// code, if there are more than measuring::max_values values, or more than measuring::max_lets lets or as
/// many variables.
CompiledTask compile_task(const ProbeTask& task);

}  // namespace eventspace
