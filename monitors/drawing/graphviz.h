#pragma once

// Private to monitors/.

#include <filesystem>
#include <string>

namespace eventspace {

/// Writes the graph `dot` to `file` as its extension says: .svg, .png or .pdf by Graphviz' program dot, .dot
/// as it is. Throws ConfigurationError for another extension, EnvironmentError when dot is not installed or
/// fails, or the file cannot be written; the file is left as it was then.
void render_graph(const std::string& dot, const std::filesystem::path& file);

}  // namespace eventspace
