#pragma once

// Private to monitors/.

#include <ostream>
#include <string>

#include "monitors/cli/options.h"
#include "monitors/collectives/watched_collectives.h"

namespace eventspace {

/// "sum: 600 operations complete, 2 incomplete (5 records missing), 1 unseen": how many there were of each
/// outcome, without those of which there were none.
std::string outcomes_of(const WatchedCollectives::Collective& of);

/// Writes the totals of each collective: the threads that cost the others most, the nodes, and the hot spots
/// of the tree. Text has at most `most` rows of each kind; JSON and CSV have all, one figure a row
/// (docs/commands.md).
void print_totals(std::ostream& out, Format format, const WatchedCollectives& watch, std::size_t most);

}  // namespace eventspace
