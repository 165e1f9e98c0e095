#pragma once

#include <string>

namespace eventspace {

/// Returns the endpoint of the server of `session` on this machine. Starts one if necessary, which ends by
/// itself a while after the session's last process. Several processes may do this at once: one server
/// remains.
///
/// The server is `$EVENTSPACE_PROGRAM serve`, or `eventspace serve` of $PATH if that variable is not set. It
/// does not get $LD_PRELOAD and has neither terminal nor output. Waits until the server accepts connections,
/// also while one is starting or ending, for at most about ten seconds. Throws EnvironmentError with advice
/// if that fails. Costs three system calls if a server runs.
std::string require_session_server(const std::string& session);

}  // namespace eventspace
