#pragma once

// Private to scopes/.

#include <functional>
#include <string>

namespace eventspace::streams {

/// Where a process of a network listens, and where others connect to it.
struct Listening {
  std::string endpoint;
  std::string announced;
};

/// Listens at a port that is free on this machine: calls `listen`, which throws EnvironmentError if the port
/// was taken meanwhile, until it succeeds; at most ten times. A host that is an address is listened at, and
/// for a name all interfaces are, since the name may be that of another interface on this machine than for
/// others. Throws what `listen` throws.
void listen_at_free_port(const std::string& host, const std::function<void(const Listening&)>& listen);

}  // namespace eventspace::streams
