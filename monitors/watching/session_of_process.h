#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// Returns the session of a process of this user, by its process id in decimal digits: the session in its
/// environment, where a job's launcher puts it for all that it starts; otherwise the session of one of its
/// children, since `eventspace run` waits for the command of an MPI job. Nullopt if `pid` is not such a
/// number, the process is gone or belongs to another user, or no session is found.
std::optional<std::string> session_of_process(std::string_view pid);

}  // namespace eventspace
