#pragma once

// Private to monitors/.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/probing/groups/process_choice.h"

namespace eventspace {

/// What of programs is read from outside, and when.
struct VariablePhases {
  ProcessChoice processes;
  std::vector<std::string> variables;                ///< parse_variable()
  std::optional<std::chrono::nanoseconds> phase;     ///< nothing: once, now
  std::optional<std::chrono::nanoseconds> duration;  ///< until when; nothing: until a signal to stop
  Format format{Format::text};
};

/// Reads them and writes a row for each variable of each process and phase on standard output. Ends when no
/// process is left, too. Says on standard error which processes do not have which variable. Returns the exit
/// status. Throws ConfigurationError for a faulty order.
int read_variables(const VariablePhases& order);

}  // namespace eventspace
