#include "monitors/probing/work/module_list.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <eventspace/error.h>
#include "monitors/probing/processes/process_modules.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

/// A file that processes have mapped.
struct SharedFile {
  ProcessModule module;
  std::vector<std::int32_t> pids;
};

std::vector<SharedFile> shared_files(const std::vector<std::int32_t>& pids, const std::string& pattern) {
  std::vector<SharedFile> files;
  std::map<std::tuple<std::string, std::uint64_t, std::string>, std::size_t> places;
  for (const std::int32_t pid : pids) {
    for (ProcessModule& module : modules_of(mapped_ranges(pid))) {
      if (!module_matches(pattern, module.path)) continue;
      const auto [place, is_new] =
          places.try_emplace({module.device, module.inode, module.path}, files.size());
      if (is_new) files.push_back({std::move(module), {}});
      files[place->second].pids.push_back(pid);
    }
  }
  return files;
}

void add(ModuleList& list, ListedModule added) {
  const auto same = std::ranges::find_if(list.modules, [&](const ListedModule& module) {
    return !added.symbols.build_id.empty() && module.symbols.build_id == added.symbols.build_id;
  });
  if (same == list.modules.end()) {
    list.modules.push_back(std::move(added));
  } else {
    same->pids.insert(same->pids.end(), added.pids.begin(), added.pids.end());
  }
}

}  // namespace

bool module_matches(const std::string& pattern, const std::string& path) {
  if (pattern.empty()) return true;
  return glob_match(pattern, path) || glob_match(pattern, std::filesystem::path(path).filename().string());
}

ModuleList modules_of_processes(const std::vector<std::int32_t>& pids, const std::string& pattern) {
  ModuleList list;
  for (SharedFile& file : shared_files(pids, pattern)) {
    try {
      auto path = file_of(file.pids.front(), file.module);
      ModuleSymbols symbols = read_module(path);
      add(list, {file.module.path, std::move(path), std::move(file.pids), std::move(symbols)});
    } catch (const Error& error) {
      list.complaints.emplace_back(error.what());
    }
  }
  return list;
}

ModuleList modules_of_files(const std::vector<std::string>& files) {
  ModuleList list;
  for (const std::string& file : files) list.modules.push_back({file, file, {}, read_module(file)});
  return list;
}

}  // namespace eventspace
