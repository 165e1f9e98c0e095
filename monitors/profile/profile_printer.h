#pragma once

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

/// Writes the tables; docs/commands.md describes their columns. Text has up to `most` rows of each (0: all).
/// JSON has one object for each row, with the table's name in `table`. `all` leaves out the table of phases
/// if there are none, and the table of delays, which shows the threads that delay others, without `delays`.
/// CSV has one table, for `all` the table of threads.
void print_profile(std::ostream& out, Format format, ProfileTable which, const JobProfile& profile,
                   const std::optional<DelayReport>& delays, const PlanNames& names, std::size_t most);

}  // namespace eventspace
