#pragma once

// Private to monitors/.

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

/// What of programs is read from outside, and when.
struct VariablePhases {
  ProcessChoice processes;
  std::vector<std::string> variables;                ///< parse_variable()
  std::optional<std::chrono::nanoseconds> phase;     ///< nothing: once, now
  std::optional<std::chrono::nanoseconds> duration;  ///< until when; nothing: until a signal to stop
  Format format{Format::text};
};

/// A value as it is shown. `process`: a pid, or the name of a process on another machine.
struct PhaseValue {
  Json process{};
  std::string variable{};
  ProgramVariable::Value value{};
};

/// Writes the rows of one phase after the other on standard output, below one head. Not thread-safe.
class PhaseWriter {
 public:
  explicit PhaseWriter(Format format) : format_(format) {}
  void write(std::chrono::nanoseconds since, const std::vector<PhaseValue>& values);

 private:
  Format format_;
  bool has_head_{false};
};

/// Calls `read` once, or in each phase until its end, with the time since the first one, as long as it
/// returns true. Between phases `wait` lets some time pass, at most that which it is given; it returns
/// whether a signal to stop has come.
void for_phases(const VariablePhases& order, const std::function<bool(std::chrono::nanoseconds)>& read,
                const std::function<bool(std::chrono::nanoseconds)>& wait);

/// Reads them and writes a row for each variable of each process and phase on standard output. Ends when no
/// process is left, too. Says on standard error which processes do not have which variable. Returns the exit
/// status. Throws ConfigurationError for a faulty order.
int read_variables(const VariablePhases& order);

}  // namespace eventspace
