#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "monitors/probing/variables/program_variable.h"

namespace eventspace {

/// Reads variables of processes repeatedly, by their pids. Each variable is looked up in the symbol tables
/// once. A variable that is not found is looked up again at the next read, as the reason may have passed (the
/// process was starting its program, or descriptors were short). After that it pauses for one read, two,
/// four, and so on up to 1024, as looking up is expensive. Uses a descriptor for each process. Not
/// thread-safe.
class VariableReader {
 public:
  struct Reading {
    std::optional<ProgramVariable::Value> value;
    std::string refusal;  ///< why the value is missing
  };

  /// `variable` as for parse_variable(); an invalid one is refused.
  Reading read(std::int32_t pid, const std::string& variable);
  /// Drops variables that were not read since the last call: their processes have ended or are no longer
  /// chosen.
  void forget_unread();

 private:
  struct Known {
    std::optional<ProgramVariable> variable{};
    std::string refusal{};
    std::uint32_t pause{0};       // after the next refusal, in reads
    std::uint32_t pause_left{0};  // reads until the next look-up
    bool was_read{true};
  };
  struct Process {
    std::shared_ptr<const ProcessMemory> memory{};  // shared by all its variables
    std::map<std::string, Known> variables{};
  };
  static void look_up(std::int32_t pid, const std::string& variable, Process& process, Known& known);

  std::map<std::int32_t, Process> processes_;
};

}  // namespace eventspace
