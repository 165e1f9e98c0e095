#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

namespace eventspace {

/// Writes the graph `dot` to `file` in the format of its extension: .svg, .png or .pdf by Graphviz' program
/// dot, .dot unchanged. Throws ConfigurationError for another extension, and EnvironmentError when dot is not
/// installed or fails, or the file cannot be written. On failure, `file` is unchanged.
void render_graph(const std::string& dot, const std::filesystem::path& file);

}  // namespace eventspace
