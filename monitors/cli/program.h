#pragma once

// Private to monitors/.

#include <vector>

#include "monitors/cli/command.h"

namespace eventspace {

/// Runs it, and turns errors into messages on standard error and exit statuses. Yields the exit status.
int run_guarded(const Command::Run& run);

/// The program around its commands: parses the command line, runs the command chosen as above. Yields
/// the exit status.
int run_program(const std::vector<Command>& commands, int argc, const char* const* argv);

}  // namespace eventspace
