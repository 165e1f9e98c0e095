#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {

/// The meaning of a variable's bytes.
enum class VariableType : std::uint8_t {
  by_size,  ///< a signed integer, of the size in the symbol table
  boolean,
  whole,  ///< 4 bytes, `int`; the following ones have 8, 4 and 8
  long_whole,
  natural,
  long_natural,
  real,  ///< `float`
  double_real
};

/// A variable in the user's notation: "residual:double", "steps".
struct VariableName {
  std::string name;
  VariableType type{VariableType::by_size};
};

/// Parses "NAME" or "NAME:TYPE". A name in a namespace keeps its colons: "ns::residual:double". Throws
/// ConfigurationError with the known types.
VariableName parse_variable(std::string_view text);

/// A global variable of a running process, or a static one of a file or function, by its name in the symbol
/// tables. It is read from outside: the process is not stopped and does not notice. Variables of one process
/// can share its memory, which takes one descriptor. Same thread rule as ProcessMemory.
class ProgramVariable {
 public:
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double>;

  /// Throws EnvironmentError if the process may not be inspected or does not have the variable, and
  /// ConfigurationError if the sizes of the variable and the type differ.
  ProgramVariable(std::int32_t pid, const VariableName& variable);
  ProgramVariable(std::shared_ptr<const ProcessMemory> memory, const VariableName& variable);

  /// The current value. Throws EnvironmentError if the process has ended, or the library with the variable
  /// was closed. If the address is not a multiple of the variable's size, a value that is being written may
  /// be read half old, half new.
  [[nodiscard]] Value read() const;
  [[nodiscard]] std::int32_t pid() const noexcept { return memory_->pid(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::shared_ptr<const ProcessMemory> memory_;
  std::string name_;
  VariableType type_;
  std::uint64_t address_{0};
};

}  // namespace eventspace
