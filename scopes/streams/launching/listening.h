#pragma once

#include <functional>
#include <string>

namespace eventspace::streams {

/// Where a process of a network listens, and where others connect to it.
struct Listening {
  std::string endpoint;
  std::string announced;
};

/// Listens at a free port of this machine: calls `listen`, which throws EnvironmentError if the port was
/// taken in between, until it succeeds; ten times at most. If the host is an address, listens at it. If it is
/// a name, listens at all interfaces, since on this machine the name may resolve to another interface than on
/// other machines. Throws what `listen` throws.
void listen_at_free_port(const std::string& host, const std::function<void(const Listening&)>& listen);

}  // namespace eventspace::streams
