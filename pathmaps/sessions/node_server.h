#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/wire/wire.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// The tuple server of one node. It hosts the elements and joints placed on the node, maps the segments of
/// the node's processes read-only, and runs the scope parts placed on the node. `eventspace serve` runs one
/// in its own process; tests run several in one process.
class NodeServer {
 public:
  struct Options {
    std::string session{};  ///< empty: see session_name
    NodeClock clock{};      ///< of the node
    /// Receives a sentence about each facility that is unavailable, when the server continues without it.
    /// Called by the server's thread. May be empty.
    std::function<void(const std::string&)> warn{};
  };
  /// Binds the endpoint of the node. Throws EnvironmentError if the port is taken, or if another server of
  /// this user already serves the node in this session.
  NodeServer(const std::shared_ptr<const Plan>& plan, NodeIndex node, const Options& options);
  ~NodeServer();
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;

  void run();            ///< serves in the calling thread until stop()
  void start();          ///< serves in a new thread until stop() or destruction
  void stop() noexcept;  ///< may be called from any thread, or a signal handler
  [[nodiscard]] wire::ServerReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
