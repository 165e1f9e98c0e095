#pragma once

// Private to monitors/.

#include <CLI/App.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuplespace/operation.h"

namespace eventspace {

/// The format of results: aligned text for users, one JSON object per line, or comma-separated values below a
/// line of names.
enum class Format : std::uint8_t { text, json, csv };

// Add options that several commands share. Each writes to its argument, which must outlive the parsing.

/// `PATHMAP`, a file or `-`.
void add_pathmap(CLI::App& app, std::filesystem::path& file);
/// `PATHMAP`, a file only: for commands that call require_file() (monitors/cli/pathmap_input.h).
void add_pathmap_file(CLI::App& app, std::filesystem::path& file);
void add_session(CLI::App& app, std::string& session);
/// `--cost`: at the end, prints the cost of the monitor itself (monitors/watching/watch_cost.h) on standard
/// error.
void add_cost(CLI::App& app, bool& cost);
void add_format(CLI::App& app, Format& format);
/// Adds an option that takes a duration with a unit, "500ms" or "10s"; a number without a unit is seconds.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::nanoseconds& value,
                          const std::string& help);
/// As above; nullopt when the option is not given.
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::nanoseconds>& value, const std::string& help);

/// `--timeout` of a monitor: how long a pull waits for servers that do not answer. Also adds `--token`, the
/// file that `eventspace share` wrote, with which a monitor pulls as an observer.
void add_pull_timeout(CLI::App& app, std::chrono::nanoseconds& timeout);
/// The deadline of a pull that begins now; nullopt when `timeout` is 0, so that the scope's own time-out
/// applies.
std::optional<Deadline> pull_deadline(std::chrono::nanoseconds timeout);

}  // namespace eventspace
