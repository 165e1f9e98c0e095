#pragma once

#include <string>
#include <string_view>

namespace eventspace {

/// A local endpoint, such as "local://node/n1", names a server of the same session on the same machine,
/// without a port. Plans, scopes and messages carry these names, which are the same on all machines; where a
/// socket is bound or connected, the name becomes a socket in the directory of this user
/// (tuplespace/sockets/session_socket.h). A route passes several servers, and each resolves the next name on
/// its own machine.
inline constexpr std::string_view local_scheme = "local://";

[[nodiscard]] inline bool is_local_endpoint(std::string_view endpoint) noexcept {
  return endpoint.starts_with(local_scheme);
}

/// Returns the address for ZeroMQ: "ipc://PATH" for a local endpoint of `session`, and `endpoint` itself for
/// others. Throws EnvironmentError if the directory of this user cannot be used.
std::string address_of(const std::string& endpoint, std::string_view session);

}  // namespace eventspace
