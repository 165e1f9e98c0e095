#pragma once

// Private to monitors/.

#include <iosfwd>
#include <string>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// Whether a text begins as one of a program does.
bool is_action_text(std::string_view first_line);

/// Reads the text of a program, which docs/whatif.md specifies. `source`: the name of the file, for what is
/// said of faults. Throws ConfigurationError, with the line, for the first fault; also for a text that is
/// truncated. Memory is in proportion to the text and to the number of tasks that it declares.
Program read_actions(std::istream& in, const std::string& source);
/// Writes it; read_actions() of it is the same program.
void write_actions(std::ostream& out, const Program& program);

}  // namespace eventspace::whatif
