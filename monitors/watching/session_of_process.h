#pragma once

// Private to monitors/.

#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// Returns the session of a process of this user, by its process id in decimal digits: the one that it has in
/// its environment, as the launcher of a job does and all that it starts; or, if it has none, that of one of
/// its children, since `eventspace run` waits for the command of an MPI job. nullopt if `pid` is no such
/// number, the process is gone or belongs to another user, or neither has a session.
std::optional<std::string> session_of_process(std::string_view pid);

}  // namespace eventspace
