#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "paths/security/secret_key.h"

namespace eventspace {

/// The permissions of a peer.
enum class Role : std::uint8_t {
  owner,    ///< everything
  observer  ///< pulls through scopes
};
std::string_view to_string(Role role) noexcept;

/// A peer that a server admits.
struct Admitted {
  PublicKey key;
  Role role{Role::owner};
};

/// The keys by which a process proves that it belongs to a session, and the peers that it admits. Applies to
/// the tcp:// connections of a Network. Immutable, so thread-safe.
struct SessionSecurity {
  CurveKeys listening;             ///< of the sockets that listen
  PublicKey server;                ///< of the servers to which this process connects
  CurveKeys connecting;            ///< of the sockets that connect
  std::vector<Admitted> admitted;  ///< keys that may connect to the listening sockets
  std::string source;              ///< for messages: the source of the keys, such as the path of their file
  /// If not empty: all operations go to this server, which forwards them. For observers.
  std::string gateway{};
  std::shared_ptr<const void> hold{};  ///< an object that must live as long, such as the lock of the key file
};

}  // namespace eventspace
