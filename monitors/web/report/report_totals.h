#pragma once

#include <filesystem>
#include <string>

namespace eventspace::web {

/// What `eventspace collectives --total` and `eventspace profile` say of a recording, as their lines of JSON
/// (docs/commands.md), made by the same code. Empty if there is nothing to say. They read the recording to
/// its end; a signal ends them early.
std::string collective_totals_of(const std::filesystem::path& recording);
std::string profile_of(const std::filesystem::path& recording);

}  // namespace eventspace::web
