#pragma once

// Private to pathmaps/.

#include <string>

namespace eventspace {

/// Returns the endpoint of the server of `session` on this machine; starts one if there is none, which ends
/// by itself a while after the session's last process. Several processes may do so at once: one server stays.
///
/// The server is `$EVENTSPACE_PROGRAM serve`, or `eventspace serve` of $PATH if that variable is not set. It
/// does not get $LD_PRELOAD and has neither terminal nor output. Waits until it can be connected to, also for
/// one that is starting or ending, some ten seconds at the longest. Throws EnvironmentError, which says what
/// to do, if there is none then. Costs three system calls when one serves.
std::string require_session_server(const std::string& session);

}  // namespace eventspace
