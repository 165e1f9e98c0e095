#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/variables/program_variable.h"
#include "monitors/text/json.h"

namespace eventspace {

/// Which variables of processes are read from outside, and when.
struct VariablePhases {
  ProcessChoice processes;
  std::vector<std::string> variables;                ///< parse_variable()
  std::optional<std::chrono::nanoseconds> phase;     ///< nullopt: once, now
  std::optional<std::chrono::nanoseconds> duration;  ///< nullopt: until a signal to stop
  Format format{Format::text};
};

/// A value for display. `process`: a pid, or the name of a process on another machine.
struct PhaseValue {
  Json process{};
  std::string variable{};
  ProgramVariable::Value value{};
};

/// Writes the rows of each phase on standard output, below one head. Not thread-safe.
class PhaseWriter {
 public:
  explicit PhaseWriter(Format format) : format_(format) {}
  void write(std::chrono::nanoseconds since, const std::vector<PhaseValue>& values);

 private:
  Format format_;
  bool has_head_{false};
};

/// Calls `read` at once and, if there are phases, again after each phase until the duration is over, with the
/// time since the first call, as long as it returns true. Between calls, `wait` waits up to the given time;
/// it returns whether a signal to stop has come.
void for_phases(const VariablePhases& order, const std::function<bool(std::chrono::nanoseconds)>& read,
                const std::function<bool(std::chrono::nanoseconds)>& wait);

/// Reads the variables and writes a row for each variable of each process and phase on standard output. Also
/// ends when no process is left. Reports on standard error which processes lack which variables. Returns the
/// exit status. Throws ConfigurationError for an invalid order.
int read_variables(const VariablePhases& order);

}  // namespace eventspace
