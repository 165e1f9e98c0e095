#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitors/watching/watched.h"
#include "monitors/web/report/page_file.h"
#include "monitors/web/report/report.h"

namespace eventspace::web {

/// The parts that a page would show at the end of a recording (documents/parts.h), made by the same code,
/// and the totals of its collective operations.
struct ReportParts {
  /// The members of an object with those that are always in the report.
  std::string members{};
  /// The tables and matrices that a page shows by choice, such as "calls_of/3", each compressed by itself.
  std::vector<DataBlock> chosen{};  ///< ids: "part/calls_of/3"
};

/// Reads the recording to its end. `name`: of the session. Throws EnvironmentError if it cannot be read.
ReportParts report_parts(const ReportSettings& settings, const Watched& recording, const std::string& name);

/// Drops chosen parts until the rest fit into `most_bytes`; each kind gets half of it, and keeps its first
/// parts. Adds a member "left_out" with the number of dropped parts by kind. Returns their number.
std::size_t leave_out(ReportParts& parts, std::size_t most_bytes);

}  // namespace eventspace::web
