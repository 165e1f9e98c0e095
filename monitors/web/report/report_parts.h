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

/// Keeps those of the chosen parts that fit into `most_bytes`, each kind in half of them, from the first on,
/// and adds a member "left_out" with the number of the others by kind. Returns how many were left out.
std::size_t leave_out(ReportParts& parts, std::size_t most_bytes);

}  // namespace eventspace::web
