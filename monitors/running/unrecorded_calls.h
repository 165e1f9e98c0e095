#pragma once

#include <optional>
#include <string>

#include "pathmaps/sessions/run_report.h"

namespace eventspace {

/// Explains why MPI or PVM calls of a command that has ended were not recorded, and what to do; nullopt if
/// all were. `library`: the file that was preloaded. Pure.
std::optional<std::string> why_unrecorded(const RunReport::Counts& counts, const std::string& library);

}  // namespace eventspace
