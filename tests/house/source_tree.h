#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace eventspace::house {

/// One C++ file of the tree, as the preprocessor's lines show it.
struct SourceFile {
  std::string path;                           ///< from the root: "paths/links/link.h"
  std::vector<std::string> includes{};        ///< of the tree: "tuplespace/system/error.h"
  std::vector<std::string> other_includes{};  ///< "zmq.hpp", "vector"
  bool is_private{false};                     ///< says "// Private to ..."
  bool reads_clock{false};                    ///< names a standard clock's now(), or a call of the system

  [[nodiscard]] std::string folder() const;      ///< "paths/links"
  [[nodiscard]] std::string top_folder() const;  ///< "paths"; "apps/windtunnel" for that
  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
};

/// All C++ files below `folders` of `root`, in the order of their paths.
std::vector<SourceFile> read_sources(const std::filesystem::path& root,
                                     const std::vector<std::string>& folders);

/// An arrow from a folder to one that it includes from, and the includes that make it.
using FolderGraph = std::map<std::string, std::map<std::string, std::vector<std::string>>>;
FolderGraph folder_graph(const std::vector<SourceFile>& sources);

/// Folders that include from each other, directly or around: one such circle, each folder followed by the one
/// it includes from, the first again at the end. Empty: includes point one way.
std::vector<std::string> find_circle(const FolderGraph& graph);

/// The circle with an include for each arrow, for people.
std::string describe(const std::vector<std::string>& circle, const FolderGraph& graph);

}  // namespace eventspace::house
