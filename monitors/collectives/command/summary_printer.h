#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/collectives/command/summary_report.h"
#include "monitors/text/json.h"

namespace eventspace {

/// The table of a report in words: columns without any value are left out.
struct SummaryTable {
  std::vector<std::string> columns{};
  std::vector<std::vector<Json>> rows{};
};
[[nodiscard]] SummaryTable table_of(const SummaryReport& report);

/// Writes a report: in text the answer, the operations that are open, at most `most` rows (0 means all) and
/// how sure it is; in JSON an object of type `summary` and one of type `row` for each row; in CSV the rows.
/// docs/json.md names the members and columns.
void print_summary(std::ostream& out, Format format, const SummaryReport& report, std::size_t most);

}  // namespace eventspace
