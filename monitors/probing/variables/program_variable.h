#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "monitors/probing/tracing/process_memory.h"

namespace eventspace {

/// What the bytes of a variable mean.
enum class VariableType : std::uint8_t {
  by_size,  ///< a whole number with a sign, of the size that the table of symbols says
  boolean,
  whole,  ///< of 4 bytes, `int`; the next ones have 8, 4 and 8
  long_whole,
  natural,
  long_natural,
  real,  ///< `float`
  double_real
};

/// A variable as the user names it: "residual:double", "steps".
struct VariableName {
  std::string name;
  VariableType type{VariableType::by_size};
};

/// Reads "NAME" or "NAME:TYPE". A name in a namespace has its colons: "ns::residual:double". Throws
/// ConfigurationError with the known types.
VariableName parse_variable(std::string_view text);

/// A global variable of a process that runs, or one that is static in a file or function, by its name in the
/// tables of symbols. It is read from outside; the process does not stand still and does not notice.
/// Variables of one process can share its memory, which takes one descriptor. Thread rule as ProcessMemory.
class ProgramVariable {
 public:
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double>;

  /// Throws EnvironmentError if the process must not be looked into or has no such variable, and
  /// ConfigurationError if it has another size than the type.
  ProgramVariable(std::int32_t pid, const VariableName& variable);
  ProgramVariable(std::shared_ptr<const ProcessMemory> memory, const VariableName& variable);

  /// Its value now. Throws EnvironmentError if the process has ended, or the library that has it was closed.
  /// A value that is just being written may be read in parts if it is not at an address that is a multiple of
  /// its size.
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
