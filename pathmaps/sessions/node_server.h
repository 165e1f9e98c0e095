#pragma once

// Private to pathmaps/.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pathmaps/plan/plan.h"
#include "paths/wire/wire.h"
#include "tuplespace/trace/node_clock.h"

namespace eventspace {

/// The tuple server of one node: hosts the elements placed on it, maps the segments of the node's processes
/// read-only, and runs the parts of scopes placed on it. `eventspace serve` is one in a process of its own;
/// tests run several in theirs.
class NodeServer {
 public:
  struct Options {
    std::string session{};  ///< empty: as for Session
    NodeClock clock{};      ///< of the node
    /// Told what the server does without and goes on: what was found, what that means, what to do. By the
    /// thread that serves.
    std::function<void(const std::string&)> warn{};
  };
  /// Binds the node's endpoint. Throws EnvironmentError when the port is taken.
  NodeServer(const std::shared_ptr<const Plan>& plan, NodeIndex node, const Options& options);
  ~NodeServer();
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;

  void run();            ///< serves in the calling thread until stop()
  void start();          ///< serves in a thread of its own
  void stop() noexcept;  ///< from any thread, or a signal handler
  [[nodiscard]] wire::ServerReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace
