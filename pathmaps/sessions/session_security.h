#pragma once

// Private to pathmaps/.

#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/security/session_security.h"

namespace eventspace {

/// Returns what a process of `session` needs to reach the others, and null if no connection of the plan has
/// keys: all are local, or the pathmap says `security: none`. The keys are those of use_session_keys
/// (paths/security/key_file.h), which makes them if there are none; if $EVENTSPACE_KEYS names an observer's
/// token, those of the token. Throws as use_session_keys does.
std::shared_ptr<const SessionSecurity> security_of(const Plan& plan, const std::string& session);

/// Whether connections of the plan have keys.
[[nodiscard]] bool needs_keys(const Plan& plan);

/// Returns the endpoints of the plan to which everybody on the network can connect, since the pathmap says
/// `security: none`, separated by commas; empty if there are none.
std::string open_endpoints(const Plan& plan);

}  // namespace eventspace
