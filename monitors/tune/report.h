#pragma once

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/tune/outcome.h"

namespace eventspace::tune {

/// Prints the scopes that were tried, the best first; docs/commands.md names the fields.
void print_table(std::ostream& out, const Outcome& outcome, Format format);

/// Prints a summary for users: the best scope beside the given one, notes on the search, and the fitted
/// prices.
void print_summary(std::ostream& out, const Outcome& outcome);

}  // namespace eventspace::tune
