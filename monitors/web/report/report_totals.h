#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace eventspace::web {

/// What `eventspace collectives --total` says of a recording, as its lines of JSON (docs/commands.md), made
/// by the same code. Empty if there is nothing to say. Reads the recording to its end; a signal ends it
/// early.
std::string collective_totals_of(const std::filesystem::path& recording);

/// The first `most` lines. If there are more, another line counts them: {"kind":"left_out","count":N}.
std::string first_lines(const std::string& lines, std::size_t most);

}  // namespace eventspace::web
