#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The port of a session for observers: a server that admits one key. It forwards pulls to the servers of the
/// nodes, to which it is a process of the owner. For a session without a pathmap, it reads the processes of
/// this machine itself.
struct ObserversPort {
  std::shared_ptr<const Plan> plan;
  std::string session;
  std::string host;  ///< the name or address of this machine for observers
  std::uint16_t port{0};
  std::filesystem::path token;  ///< the file that is written for them
};

/// Makes the observer's key, listens, writes the token, calls `listens`, and serves until SIGINT, SIGTERM or
/// SIGHUP. Throws EnvironmentError if the port is taken or the token's file already exists.
void serve_observers(const ObserversPort& port, const std::function<void()>& listens);

}  // namespace eventspace
