#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/house/source_tree.h"

namespace eventspace::house {

/// A library, a noun or an engine, as its CMakeLists.txt declares it (cmake/EventSpaceTargets.cmake).
struct Target {
  std::string name;  ///< its folder, such as "scopes/streams"; "probing" for an engine
  std::set<std::string> sources{};
  std::set<std::string> uses{};
  std::set<std::string> commands{};
};

using Targets = std::map<std::string, Target>;

/// Reads the file that CMake writes.
Targets read_targets(const std::filesystem::path& file);

/// The targets that `name` uses, directly or through others.
std::set<std::string> used_by(const std::string& name, const Targets& targets);

/// Maps each file to the target that owns it. A header belongs to the target of the source with the same
/// name, or else to the target of its folder; if the folder has several, to the lowest that includes it.
/// Files that this build does not compile are left out.
std::map<std::string, std::string> owners(const std::vector<SourceFile>& sources, const Targets& targets);

/// Compares what targets declare with the includes between files of one top-level folder. Returns a line for
/// each include from a target that is not declared, and for each declared target without an include.
std::vector<std::string> wrong_uses(const std::vector<SourceFile>& sources, const Targets& targets);

}  // namespace eventspace::house
