#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace eventspace {

/// Returns the environment with which a process was started, as the kernel shows it (proc(5),
/// /proc/PID/environ): later changes by the process are not visible, and the first value of a repeated
/// variable is taken. Reads at most 1 MiB, because processes can write anything there. Empty if the process
/// does not exist, or belongs to another user. Thread-safe.
std::map<std::string, std::string, std::less<>> environment_of_process(std::int32_t pid);

/// Returns the id of the process that started or adopted this process; 0 if it does not exist. Thread-safe.
std::int32_t parent_of_process(std::int32_t pid);

}  // namespace eventspace
