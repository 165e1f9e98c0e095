#pragma once

// Private to monitors/.

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/tune/outcome.h"

namespace eventspace::tune {

/// What was tried, what serves the goal best first; docs/commands.md names the fields.
void print_table(std::ostream& out, const Outcome& outcome, Format format);

/// For people: the best beside what there was, what is to be known about the search, and what things cost.
void print_summary(std::ostream& out, const Outcome& outcome);

}  // namespace eventspace::tune
