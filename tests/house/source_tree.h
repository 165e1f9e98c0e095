#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace eventspace::house {

/// A C++ file of the source tree, with the facts that its lines show.
struct SourceFile {
  std::string path;                           ///< relative to the root: "paths/links/link.h"
  std::vector<std::string> includes{};        ///< from the tree: "tuplespace/element.h"
  std::vector<std::string> other_includes{};  ///< "zmq.hpp", "vector"
  bool reads_clock{false};                    ///< calls now() of a clock, or the system call
  bool starts_thread{false};                  ///< with the standard library or pthreads

  [[nodiscard]] std::string folder() const;      ///< "paths/links"
  [[nodiscard]] std::string top_folder() const;  ///< "paths", or "apps/windtunnel"
  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
};

/// Reads all C++ files below `folders` of `root`. Returns them in the order of their paths.
std::vector<SourceFile> read_sources(const std::filesystem::path& root,
                                     const std::vector<std::string>& folders);

/// Maps a folder to the folders from which it includes, and these to the includes that cause it.
using FolderGraph = std::map<std::string, std::map<std::string, std::vector<std::string>>>;
FolderGraph folder_graph(const std::vector<SourceFile>& sources);

/// Returns a circle of folders that include from each other: each folder is followed by one from which it
/// includes, and the first is repeated at the end. Empty if there is no circle.
std::vector<std::string> find_circle(const FolderGraph& graph);

/// Describes the circle for a message, with an include for each step.
std::string describe(const std::vector<std::string>& circle, const FolderGraph& graph);

}  // namespace eventspace::house
