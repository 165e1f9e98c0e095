#pragma once

#include <ostream>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/collectives/watched_collectives.h"
#include "monitors/delays/delay_report.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "sum: 600 operations complete, 2 incomplete (5 records missing), 1 unseen": the number of each outcome,
/// except zeros.
std::string outcomes_of(const WatchedCollectives::Collective& of);

/// Writes the totals of each collective: the threads that cost the others most, the nodes, and the hot spots
/// of the tree; and, unless `delays` is null, the threads that delay the others on all paths. Text has at
/// most `most` rows of each kind; JSON and CSV have all rows, one figure per row (docs/commands.md).
void print_totals(std::ostream& out, Format format, const WatchedCollectives& watch, const PlanNames& names,
                  const DelayReport* delays, std::size_t most);

}  // namespace eventspace
