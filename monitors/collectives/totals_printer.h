#pragma once

// Private to monitors/.

#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/collectives/watched_collectives.h"

namespace eventspace {

/// Writes the totals of each collective: the threads that cost the others most, the nodes, and the hot spots
/// of the tree. Text has at most `most` rows of each kind; JSON and CSV have all, one figure a row
/// (docs/commands.md).
void print_totals(std::ostream& out, Format format, const WatchedCollectives& watch, std::size_t most);

}  // namespace eventspace
