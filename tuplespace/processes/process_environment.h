#pragma once

// Private to tuplespace/.

#include <cstdint>
#include <map>
#include <string>

namespace eventspace {

/// Returns the environment with which a process was started, as the kernel shows it (proc(5),
/// /proc/PID/environ): what the process has changed since is not seen, and of a variable that is there twice
/// the first is taken. At most 1 MiB is read, as processes can put there what they like. Empty if there is no
/// such process, or it belongs to another user. Thread-safe.
std::map<std::string, std::string, std::less<>> environment_of_process(std::int32_t pid);

/// Returns the id of the process that has started this one, or has taken it over; 0 if there is no such
/// process. Thread-safe.
std::int32_t parent_of_process(std::int32_t pid);

}  // namespace eventspace
