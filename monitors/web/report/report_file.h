#pragma once

#include <filesystem>

#include "monitors/web/report/report.h"

namespace eventspace::web {

/// Throws EnvironmentError if `output` exists and must not be replaced, or if its folder does not exist:
/// to be called before a long wait for a stall.
void require_report_place(const std::filesystem::path& output, bool replaces);

/// Writes the report (make_report), with mode 0600, and says so on standard error unless `is_quiet`. The file
/// appears when it is whole. Throws as make_report does, and EnvironmentError if it cannot be written.
void write_report(const ReportSettings& settings, const std::filesystem::path& output, bool replaces,
                  bool is_quiet);

}  // namespace eventspace::web
