#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/delays/delay_report.h"
#include "monitors/profile/job_profile.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// The tables of a profile.
enum class ProfileTable : std::uint8_t { all, threads, phases, matrix, sizes, calls, delays };

/// Writes them; docs/commands.md names their columns. Text has at most `most` rows of each (0: all). JSON has
/// one object for each row, with the table's name in `table`. The table of phases is left out of `all` if
/// there are none; that of delays, which says which threads hold the others up, if there are no `delays`. CSV
/// has one table, for `all` that of the threads.
void print_profile(std::ostream& out, Format format, ProfileTable which, const JobProfile& profile,
                   const std::optional<DelayReport>& delays, const PlanNames& names, std::size_t most);

}  // namespace eventspace
