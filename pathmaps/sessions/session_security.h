#pragma once

// Private to pathmaps/.

#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/security/session_security.h"

namespace eventspace {

/// Returns what a process of `session` needs to reach the others. If $EVENTSPACE_KEYS names an observer's
/// token, it is that of the token, which is for `session`. Otherwise it is null if no connection of the plan
/// has keys, since all are local or the pathmap says `security: none`; or it has the keys of use_session_keys
/// (paths/security/key_file.h), which makes them if there are none. Throws as use_session_keys and
/// security_of_observer do.
std::shared_ptr<const SessionSecurity> security_of(const Plan& plan, const std::string& session);

/// If $EVENTSPACE_KEYS names an observer's token for `session`, returns the endpoint of the port that it is
/// for, else an empty text. Throws as security_of_observer does, but not for a token for another session.
[[nodiscard]] std::string observed_endpoint(const std::string& session);

/// Whether connections of the plan have keys.
[[nodiscard]] bool needs_keys(const Plan& plan);

/// Returns the endpoints of the plan to which everybody on the network can connect, since the pathmap says
/// `security: none`, separated by commas; empty if there are none.
std::string open_endpoints(const Plan& plan);

}  // namespace eventspace
