#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eventspace {

/// The names that completion scripts propose, besides words that the command line fixes.
enum class NamesOf : std::uint8_t { sessions, scopes, threads, metrics };

/// The names, sorted. `target`: the session, pathmap or recording of scopes and threads. Empty if the target
/// does not exist or cannot be read. Reads files and segments; never waits for a server.
std::vector<std::string> names_to_complete(NamesOf of, const std::filesystem::path& target);

}  // namespace eventspace
