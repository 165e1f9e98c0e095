#pragma once

#include <cstddef>
#include <ostream>

#include "monitors/cli/options.h"
#include "monitors/efficiency/efficiency_report.h"

namespace eventspace::efficiency {

/// Writes the report; docs/json.md describes the tables. In text, the first line is the answer, and tables
/// have up to `most` rows (0: all). CSV has the table of intervals. REQUIRES: the whole run has factors.
void print_efficiency(std::ostream& out, Format format, const EfficiencyReport& report, std::size_t most);

}  // namespace eventspace::efficiency
