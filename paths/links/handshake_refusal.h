#pragma once

#include <cstdint>
#include <string>

#include "paths/security/session_security.h"

namespace eventspace {

/// The cause of a failed handshake, as ZeroMQ's monitor reports it.
struct FailedHandshake {
  std::uint16_t event{0};
  std::int32_t value{0};
  int in_a_row{1};  ///< since a connection was established
};

/// Returns why the server at `endpoint` refuses this process, with advice; empty if the end may have another
/// reason, such as the end of the server's process. `security`: of this process; null if it has no keys.
std::string refusal_by(const std::string& endpoint, const FailedHandshake& failed,
                       const SessionSecurity* security);

}  // namespace eventspace
