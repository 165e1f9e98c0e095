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

/// How results are written: aligned for people, one JSON object a line, or comma-separated values with a
/// line of names first.
enum class Format : std::uint8_t { text, json, csv };

// The options that commands share; each writes to what it is given, which must outlive the parsing.

void add_pathmap(CLI::App& app, std::filesystem::path& file);
void add_session(CLI::App& app, std::string& session);
/// `--cost`: at the end, what the monitor cost itself (monitors/watching/watch_cost.h) on standard error.
void add_cost(CLI::App& app, bool& cost);
void add_format(CLI::App& app, Format& format);
/// A time with a unit, "500ms" or "10s"; a number alone is seconds.
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::chrono::nanoseconds& value,
                          const std::string& help);
/// The same; nothing when it is not given.
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::nanoseconds>& value, const std::string& help);

/// `--timeout` of a monitor: what a pull waits for servers that do not answer.
void add_pull_timeout(CLI::App& app, std::chrono::nanoseconds& timeout);
/// The deadline of a pull that begins now; nothing when `timeout` is 0: the scope's own counts.
std::optional<Deadline> pull_deadline(std::chrono::nanoseconds timeout);

}  // namespace eventspace
