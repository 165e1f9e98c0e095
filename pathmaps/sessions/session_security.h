#pragma once

#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/security/session_security.h"

namespace eventspace {

/// Returns the security of a process of `session` for its connections. If $EVENTSPACE_KEYS names an
/// observer's token for `session`, uses the token. Otherwise returns null if the plan's connections are
/// without keys, because all are local or the pathmap has `security: none`; or uses the keys of
/// use_session_keys (paths/security/key_file.h), which makes them if needed. Throws like use_session_keys and
/// security_of_observer.
std::shared_ptr<const SessionSecurity> security_of(const Plan& plan, const std::string& session);

/// If $EVENTSPACE_KEYS names an observer's token for `session`, returns the endpoint of its port, otherwise
/// an empty text. Throws like security_of_observer, except for a token of another session.
[[nodiscard]] std::string observed_endpoint(const std::string& session);

/// Whether connections of the plan have keys.
[[nodiscard]] bool needs_keys(const Plan& plan);

/// Returns the endpoints of the plan to which any user on the network can connect, because the pathmap has
/// `security: none`, separated by commas; empty if there are none.
std::string open_endpoints(const Plan& plan);

}  // namespace eventspace
