#pragma once

// Private to paths/.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paths/security/secret_key.h"

namespace eventspace {

/// What a peer may do.
enum class Role : std::uint8_t {
  owner,    ///< everything
  observer  ///< pulls through scopes
};
std::string_view to_string(Role role) noexcept;

/// A peer that a server lets in.
struct Admitted {
  PublicKey key;
  Role role{Role::owner};
};

/// How a process proves to others that it belongs to a session, and which others it lets in. Applies to the
/// tcp:// connections of a Network. Immutable, so thread-safe.
struct SessionSecurity {
  CurveKeys listening;             ///< of the sockets that listen
  PublicKey server;                ///< of the servers to which this process connects
  CurveKeys connecting;            ///< of the sockets that connect
  std::vector<Admitted> admitted;  ///< keys that may connect to those that listen
  std::string source;              ///< for messages: where the keys come from, such as the path of their file
  /// Not empty: all operations go to this server, which forwards them. For observers.
  std::string gateway{};
  std::shared_ptr<const void> hold{};  ///< whatever has to exist as long, such as the lock of the key file
};

}  // namespace eventspace
