#pragma once

// Private to paths/.

#include <cstdint>
#include <string>

#include "paths/security/session_security.h"

namespace eventspace {

/// What ended a connection before it stood, as ZeroMQ's monitor reports it.
struct FailedHandshake {
  std::uint16_t event{0};
  std::int32_t value{0};
  int in_a_row{1};  ///< since a connection stood
};

/// Returns why the server at `endpoint` refuses this process, with what to do; empty if the end may have
/// another reason, such as the end of the server's process. `security`: of this process; null: it has no
/// keys.
std::string refusal_by(const std::string& endpoint, const FailedHandshake& failed,
                       const SessionSecurity* security);

}  // namespace eventspace
