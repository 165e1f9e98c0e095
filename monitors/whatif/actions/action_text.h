#pragma once

#include <iosfwd>
#include <string>

#include "monitors/whatif/actions/program.h"

namespace eventspace::whatif {

/// Whether the first line is that of a program text.
bool is_action_text(std::string_view first_line);

/// Reads the text of a program (format: docs/whatif.md). `source`: the name of the file, for error messages.
/// Throws ConfigurationError with the line of the first fault, also for a truncated text. Memory is
/// proportional to the text and to the number of tasks that it declares.
Program read_actions(std::istream& in, const std::string& source);
/// Writes a program; read_actions() of the text returns the same program.
void write_actions(std::ostream& out, const Program& program);

}  // namespace eventspace::whatif
