#pragma once

#include <vector>

#include "monitors/cli/build_info.h"
#include "monitors/cli/command.h"

namespace eventspace {

/// Calls `run` and returns the exit status. Turns exceptions into messages on standard error and exit
/// statuses.
int run_guarded(const Command::Run& run);

/// The main function of the program: parses the command line, calls run_guarded() for the chosen command, and
/// returns the exit status. `--version` prints `build`.
int run_program(const std::vector<Command>& commands, const BuildInfo& build, int argc,
                const char* const* argv);

}  // namespace eventspace
