#pragma once

#include <CLI/App.hpp>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <eventspace/operation.h>

namespace eventspace {

/// The format of results: aligned text for users, one JSON object per line, or comma-separated values below a
/// line of names.
enum class Format : std::uint8_t { text, json, csv };

/// The headings of options that many commands have. docs/commands.md describes these options once.
inline constexpr const char* common_options = "Common options";
inline constexpr const char* process_options = "Choice of processes";
inline constexpr const char* event_options = "Choice of events";
/// In the order in which help has them behind the other options.
inline constexpr std::array shared_groups{event_options, process_options, common_options};

// Add options that several commands share. Each writes to its argument, which must outlive the parsing.

/// `PATHMAP`, a file or `-`.
void add_pathmap(CLI::App& app, std::filesystem::path& file);
/// `PATHMAP`, a file only: for commands that call require_file() (monitors/cli/pathmap_input.h).
void add_pathmap_file(CLI::App& app, std::filesystem::path& file);
void add_session(CLI::App& app, std::string& session,
                 const std::string& otherwise = "$EVENTSPACE_SESSION, else the pathmap's name");
void add_format(CLI::App& app, Format& format);
/// `--quiet`: no progress and no summary on standard error.
void add_quiet(CLI::App& app, bool& quiet);
/// `--verbose`: at the end prints the number of events and pulls, all losses by cause, and the cost of the
/// command itself on standard error, even with `--quiet`. Without it, a command reports only losses that
/// change its answer.
void add_verbose(CLI::App& app, bool& verbose);
/// `--once`: one observation, for a quarter of a second.
CLI::Option* add_once(CLI::App& app, bool& once);
/// `--limit`: the largest number of rows of a table in text, whose default is the present value; 0 means all.
void add_limit(CLI::App& app, std::size_t& limit);
/// `--count`: after how many things, such as "pulls", the command stops.
void add_count(CLI::App& app, std::size_t& count, const std::string& counted,
               const std::string& otherwise = "no limit");
/// Adds an option that takes a duration with a unit, "500ms" or "10s"; a number without a unit is seconds.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::nanoseconds& value,
                          const std::string& help);
/// As above; nullopt when the option is not given.
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::nanoseconds>& value, const std::string& help);

/// `--for`: after what time the command stops. `Value` is a duration or an optional duration; `otherwise`
/// describes the default.
template <class Value>
CLI::Option* add_for(CLI::App& app, Value& value, const std::string& otherwise = "until Ctrl-C") {
  return add_duration(app, "--for", value, "Stop after this time [" + otherwise + ']')->group(common_options);
}
/// `--interval`: the time between pulls. `Value` and `otherwise` as above.
template <class Value>
CLI::Option* add_interval(CLI::App& app, Value& value, const std::string& otherwise) {
  return add_duration(app, "--interval", value, "Time between pulls [" + otherwise + ']');
}
/// `--timeout` of a command that is not a monitor: how long it waits for another process.
void add_timeout(CLI::App& app, std::chrono::nanoseconds& timeout, const std::string& otherwise);
/// `--timeout` of a monitor: how long a pull waits for servers that do not answer. Also adds `--token`, the
/// file that `eventspace share` wrote, with which a monitor pulls as an observer.
void add_pull_timeout(CLI::App& app, std::chrono::nanoseconds& timeout);
/// The deadline of a pull that begins now; nullopt when `timeout` is 0, so that the scope's own time-out
/// applies.
std::optional<Deadline> pull_deadline(std::chrono::nanoseconds timeout);

}  // namespace eventspace
