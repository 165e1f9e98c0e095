#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {

/// Applies `order` to the processes of this machine and user that run in `session` on `node` (on any node if
/// empty), through their control files. Returns the state of each, by file name: each process is switched, or
/// has a refusal. Processes that are dead or exit during the call are left out. An event that is under way
/// stays recorded. Does not wait for the processes. Thread-safe.
///
/// Throws EnvironmentError if the directory cannot be read.
std::vector<SwitchedProcess> switch_processes(const std::string& session, const std::string& node,
                                              const SwitchOrder& order,
                                              const std::filesystem::path& directory = segment_directory());

/// The same for the processes with these ids; all if `pids` is empty.
std::vector<SwitchedProcess> switch_processes(const std::string& session, const std::string& node,
                                              const SwitchOrder& order, const std::vector<std::int32_t>& pids,
                                              const std::filesystem::path& directory = segment_directory());

}  // namespace eventspace
