#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <eventspace/deadline.h>
#include <eventspace/rank_set.h>
#include <eventspace/stream_network.h>
#include <eventspace/streams.h>
#include <eventspace/topology.h>

/// Networks of streams over the nodes and processes of a pathmap or session. docs/streams.md, "Processes of a
/// session", explains them.
namespace eventspace {

struct Plan;  // a loaded pathmap

/// The processes of a network of streams over the nodes of a pathmap, for streams::LaunchedNetwork.
struct PathmapNetwork {
  streams::Topology topology;
  streams::LaunchOptions options;
  std::vector<std::string> processes{};  ///< for BackEnds::processes: the name of the process of each rank
};

/// The selection of back-ends.
enum class BackEnds : std::uint8_t {
  processes,  ///< one for each process of the application, at its node
  nodes       ///< one for each node
};

/// Makes a tree whose front-end is this process and that has an internal process on each node, which is
/// started by the node's `launch` (docs/pathmap.md), as `eventspace up` starts its server. The nodes of a
/// cluster with a gateway are below the gateway's node. Ranks follow the order of the nodes in the tree and,
/// on a node, the order of its processes.
///
///     PathmapNetwork made = network_of("app.yaml", BackEnds::nodes);
///     made.options.back_end = {"my-daemon"};
///     streams::LaunchedNetwork network(made.topology, made.options);
///
/// The processes of the application itself become back-ends on request (Session::back_end):
///
///     PathmapNetwork made = network_of("app.yaml", BackEnds::processes);
///     made.options.session = "app";
///
/// Two nodes of one host are two processes there. Reads the file of the pathmap and starts nothing. Throws
/// ConfigurationError if the pathmap has faults, with a line for each; if there would not be any back-ends;
/// if nodes of one host have different commands under `launch`; or for a host that cannot be in a topology
/// (an IPv6 address). Thread-safe.
[[nodiscard]] PathmapNetwork network_of(const std::filesystem::path& pathmap, BackEnds back_ends);
/// The same for a loaded pathmap, such as Session::plan().
[[nodiscard]] PathmapNetwork network_of(const Plan& plan, BackEnds back_ends);

/// Attaches to the network of streams that a front-end has opened for a session (FrontEnd::Options::session,
/// LaunchOptions::session), without an address or a key file: finds the network by the session's name, among
/// the networks of this user on this machine. Waits until there is one. For programs in a session that do not
/// use the class Session, such as programs under `eventspace run`; Session::back_end does the same.
///
/// `session`: empty means $EVENTSPACE_SESSION. `rank`: the place to take, which must be free or become free
/// by the deadline; nullopt means any place. `network`: its name; empty means the session's only network.
///
/// Throws ConfigurationError without a session name, or if the session has several networks and none is
/// named; EnvironmentError with the reason of the last attempt if attaching fails until the deadline.
/// Thread-safe; the back-end is for one thread.
[[nodiscard]] std::unique_ptr<streams::BackEnd> open_back_end(const std::string& session,
                                                              std::optional<RankSet::Rank> rank,
                                                              Deadline deadline,
                                                              const std::string& network = {});

}  // namespace eventspace
