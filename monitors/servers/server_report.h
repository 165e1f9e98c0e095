#pragma once

#include <ostream>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/servers/server_fleet.h"

namespace eventspace {

/// Prints the outcome for each server on a line: "n1: started (pid 17, tcp://127.0.0.1:7101)".
/// docs/commands.md names the fields of the other formats.
void print_outcomes(std::ostream& out, Format format, const std::vector<ServerOutcome>& outcomes);

}  // namespace eventspace
