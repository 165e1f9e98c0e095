#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace eventspace::web {

/// What `eventspace collectives --total` and `eventspace profile` say of a recording, as their lines of JSON
/// (docs/commands.md), made by the same code. Empty if there is nothing to say. They read the recording to
/// its end; a signal ends them early. The profile has at most `most_flows` rows of the matrix.
std::string collective_totals_of(const std::filesystem::path& recording);
std::string profile_of(const std::filesystem::path& recording, std::size_t most_flows);

/// The lines that do not begin with `beginning`, and the first `most` of those that do. If more do, a line
/// says so: {"table":"left_out","rows":N}.
std::string first_lines(const std::string& lines, std::string_view beginning, std::size_t most);

}  // namespace eventspace::web
