#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// A module of one or several processes, or a file that need not be mapped by any process.
struct ListedModule {
  std::string path;            ///< in the notation of the first of its processes
  std::filesystem::path file;  ///< where it was read
  std::vector<std::int32_t> pids;
  ModuleSymbols symbols;
};

struct ModuleList {
  std::vector<ListedModule> modules;
  std::vector<std::string> complaints;  ///< one for each module that could not be read
};

/// Whether the path of a module, or its last component, matches `pattern` (a glob; empty: all). Pure.
bool module_matches(const std::string& pattern, const std::string& path);

/// Reads the modules of the processes whose path or last component matches `pattern` (a glob; empty: all). A
/// module that several processes have mapped is read once: identical files are merged first, then files with
/// the same build-id. Throws EnvironmentError if a process does not exist or may not be inspected.
ModuleList modules_of_processes(const std::vector<std::int32_t>& pids, const std::string& pattern);

/// Reads files. Throws if a file cannot be read.
ModuleList modules_of_files(const std::vector<std::string>& files);

}  // namespace eventspace
