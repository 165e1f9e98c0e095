#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <eventspace/deadline.h>
#include "scopes/streams/front_end.h"
#include "scopes/streams/launching/launch_options.h"
#include "scopes/streams/topology/topology.h"

namespace eventspace::streams {

/// A network that starts its internal processes, and its back-ends if a command for them is given: on this
/// machine or, by a launcher such as ssh, on the hosts of the topology. Each process starts its own children,
/// so starting takes as many steps as the tree has levels.
///
///     Topology topology = Topology::of_text("4x8");
///     topology.place("login", {}, parse_hosts("n[1-4]"));
///     LaunchedNetwork network(std::move(topology), {.back_end = {"my-daemon", "--verbose"}});
///     network.wait_until_ready(Deadline::after(30s));
///     const std::uint32_t stream = network.front_end().open({.up = {{"max", {}}}});
///
/// If all processes are on this machine they are connected by local sockets. Otherwise they listen at free
/// ports, and all connections are encrypted with keys that only the processes of the network have: they are
/// passed down the tree on standard input.
///
/// The network ends with this object: all processes end when they notice that their parent is gone. Not
/// thread-safe. Functions throw EnvironmentError or ConfigurationError.
class LaunchedNetwork {
 public:
  /// Starts the children of the front-end and returns. `name` is as in FrontEnd::Options.
  LaunchedNetwork(const Topology& topology, LaunchOptions options, std::string name = {});
  /// Ends the network, and kills the children of this process that have not ended in time
  /// (LaunchOptions::patience).
  ~LaunchedNetwork();
  LaunchedNetwork(const LaunchedNetwork&) = delete;
  LaunchedNetwork& operator=(const LaunchedNetwork&) = delete;

  /// Blocks until all internal processes are attached, and all back-ends if they are launched. Throws
  /// EnvironmentError with the host and command of each process that could not be started or has failed, or
  /// with the processes that are missing at the deadline. Later failures are events (EventKind::failed).
  void wait_until_ready(Deadline deadline);

  /// Its attach points are complete once the network is ready.
  [[nodiscard]] FrontEnd& front_end() noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace eventspace::streams
