#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace eventspace {

/// Writes the graph `dot` to `file` in the format of its extension: .svg, .png or .pdf by Graphviz' program
/// dot, .dot unchanged. Throws ConfigurationError for another extension, and EnvironmentError when dot is not
/// installed, fails, has not finished after `limit`, or a signal ends the command, or the file cannot be
/// written. The message says what to do. On failure, `file` is unchanged and dot has ended. If it takes more
/// than a few seconds, reports on standard error that it is working, if that is a terminal. Constructs
/// StopSignals.
void render_graph(const std::string& dot, const std::filesystem::path& file, std::chrono::nanoseconds limit);

/// Writes `text` to `file`. Throws EnvironmentError if it cannot be written; `file` is then unchanged.
void write_whole_file(const std::string& text, const std::filesystem::path& file);

}  // namespace eventspace
