#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "monitors/web/http/limits.h"
#include "monitors/web/http/site.h"

namespace eventspace::web {

/// Where a server listens and which names it answers to.
struct ServerSettings {
  std::string address{"127.0.0.1"};  ///< of the machine, as a number
  std::uint16_t port{0};             ///< 0: a free one
  std::filesystem::path socket{};    ///< of a local socket instead of a port; empty: none
  std::vector<std::string> hosts{};  ///< further names (HostRules)
  Limits limits{};
};

/// An HTTP server with its own thread. docs/web.md lists its checks; Gate makes them. Thread-safe.
class Server {
 public:
  /// Listens, and serves from start() on. Throws EnvironmentError, with advice, if the address or the socket
  /// is in use or refused; ConfigurationError if `address` is not a number. `site` must live until stop().
  Server(const ServerSettings& settings, Site& site);
  /// Closes all connections and removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  /// Ends the thread: no request is answered any more, and `site` may be destroyed.
  void stop();
  /// Makes all streams ask their feeds for events. Cheap; calls before the server reacts count as one.
  void wake();

  [[nodiscard]] std::uint16_t port() const noexcept;  ///< 0 for a local socket
  /// The address that makes a browser a page of this role: "/open?key=...".
  [[nodiscard]] std::string opening(Role role) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Serves until it is destroyed, on all ways out of a function. To be declared after the server's site, which
/// must outlive it.
class Serving {
 public:
  explicit Serving(Server& server) : server_(&server) { server.start(); }
  ~Serving() { server_->stop(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

 private:
  Server* server_;
};

}  // namespace eventspace::web
