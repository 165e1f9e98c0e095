#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/critical_path/path_report.h"

namespace eventspace {

enum class PathTable : std::uint8_t { all, path, locations, waits, segments };

/// Writes the answer, its evidence and how sure it is, and the tables; docs/commands.md describes their
/// columns. `all` leaves out the segments. Text has up to `most` rows of each table (0: all). JSON has the
/// answer as an object, then one for each row, with the table's name in `table`. CSV has one table; for `all`
/// the path by activity.
void print_path(std::ostream& out, Format format, PathTable which, const PathReport& report,
                std::size_t most);

}  // namespace eventspace
