#pragma once

// Private to monitors/.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// A module of one or several processes, or a file that no process need have mapped.
struct ListedModule {
  std::string path;            ///< as the first of its processes names it
  std::filesystem::path file;  ///< where it was read
  std::vector<std::int32_t> pids;
  ModuleSymbols symbols;
};

struct ModuleList {
  std::vector<ListedModule> modules;
  std::vector<std::string> complaints;  ///< about modules that could not be read, one each
};

/// Whether the path of a module, or its last part, matches `pattern` (a glob; empty: all). Pure.
bool module_matches(const std::string& pattern, const std::string& path);

/// Reads the modules of the processes whose path or last part of the path matches `pattern` (a glob; empty:
/// all). A module that several processes have mapped is read once: first the files that are the same, then
/// those with the same build-id, are put together. Throws EnvironmentError if a process is not there or must
/// not be looked into.
ModuleList modules_of_processes(const std::vector<std::int32_t>& pids, const std::string& pattern);

/// Reads files. Throws if one cannot be read.
ModuleList modules_of_files(const std::vector<std::string>& files);

}  // namespace eventspace
