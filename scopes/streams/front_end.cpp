#include "scopes/streams/front_end.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "scopes/streams/internal_process.h"
#include "scopes/streams/node_host.h"
#include "scopes/streams/serving.h"
#include "tuplespace/system/session_socket.h"

namespace eventspace::streams {
namespace {

std::string new_name() {
  static std::atomic<int> made{0};
  return fmt::format("streams-{}-{}", ::getpid(), ++made);
}

/// The ranks of the back-ends that are children of a process themselves.
RankSet places_of(const Topology& topology, std::uint32_t process) {
  RankSet places;
  for (const std::uint32_t child : topology.at(process).children) {
    if (topology.at(child).part == Part::back_end) places.add(topology.at(child).rank);
  }
  return places;
}

}  // namespace

class FrontEnd::State {
 public:
  State(Topology shape, Options options)
      : topology(std::move(shape)),
        name(options.name.empty() ? new_name() : std::move(options.name)),
        network(limits_for(topology.at(0).children.size()), WhenLost::end, NodeClock(), {}, options.security),
        host(Part::front_end, name, places_of(topology, 0), topology.ranks_below(0), std::nullopt, nullptr),
        server(network, {.endpoint = options.endpoint.empty() ? local_endpoint(0) : options.endpoint,
                         .name = "the front-end of the network " + name,
                         .session = {},
                         .targets = {{std::string(target_name), host.kind()}},
                         .routes = {},
                         .attendant = &host}) {
    endpoints[0] = options.endpoint.empty() ? SessionSocket(name, "0").endpoint() : options.endpoint;
    for (std::uint32_t i = 1; i < topology.size(); ++i) {
      if (topology.at(i).part == Part::internal) start_internal(i, options.security);
    }
  }
  ~State() {
    host.node().end("the front-end has ended the network");
    host.attend();
    // Internal processes tell it to those below them, for which they need to be alive.
    const auto has_ended = [](const auto& internal) { return internal->has_ended(); };
    for (const Deadline end = Deadline::after(tells_within);
         !end.passed() && !std::ranges::all_of(internals, has_ended);)
      server.serve(Deadline::after(std::chrono::milliseconds(5)));
    server.end_serving();  // the links end, and the internal processes with them
    internals.clear();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Serves until `holds` or the deadline; returns whether it holds.
  template <class Holds>
  bool serve_until(Deadline deadline, Holds holds) {
    while (!holds()) {
      host.attend();  // sends what was held
      if (deadline.passed()) {
        server.serve(Deadline::now());
        return holds();
      }
      server.serve(deadline);
    }
    return true;
  }

  // Takes the socket first, so that no other process can have it.
  std::string local_endpoint(std::uint32_t process) {
    const SessionSocket socket(name, std::to_string(process));
    sockets.push_back(socket.require("the network of streams " + name));
    return socket.endpoint();
  }

  void start_internal(std::uint32_t process, const std::shared_ptr<const SessionSecurity>& security) {
    endpoints[process] = local_endpoint(process);
    internals.push_back(std::make_unique<InternalProcess>(
        InternalProcess::Config{.parent = {name, endpoints.at(topology.at(process).parent), {}},
                                .endpoint = endpoints[process],
                                .places = places_of(topology, process),
                                .below = topology.ranks_below(process),
                                .children = topology.at(process).children.size(),
                                .security = security}));
    internals.back()->start();
  }

  static constexpr std::chrono::seconds tells_within{2};

  Topology topology;
  std::string name;
  std::vector<SessionSocket::Taken> sockets;
  std::map<std::uint32_t, std::string> endpoints;  // of processes with children
  Network network;
  NodeHost host;
  Server server;
  std::vector<std::unique_ptr<InternalProcess>> internals;
};

FrontEnd::FrontEnd(Topology topology, Options options)
    : state_(std::make_unique<State>(std::move(topology), std::move(options))) {}
FrontEnd::FrontEnd(Topology topology) : FrontEnd(std::move(topology), Options{}) {}
FrontEnd::~FrontEnd() = default;

const std::string& FrontEnd::name() const noexcept { return state_->name; }
const Topology& FrontEnd::topology() const noexcept { return state_->topology; }
const RankSet& FrontEnd::ranks() const noexcept { return state_->host.node().ranks(); }

AttachPoint FrontEnd::attach_point(RankSet::Rank rank) const {
  const std::uint32_t parent = state_->topology.at(state_->topology.of_rank(rank)).parent;
  return {state_->name, state_->endpoints.at(parent), rank};
}

bool FrontEnd::wait_for(std::size_t back_ends, Deadline deadline) {
  return state_->serve_until(deadline, [&] { return ranks().size() >= back_ends; });
}

std::uint32_t FrontEnd::open(const StreamOptions& options) {
  const std::uint32_t stream = state_->host.node().open(options);
  state_->host.attend();
  return stream;
}

void FrontEnd::close(std::uint32_t stream) {
  state_->host.node().close(stream);
  state_->host.attend();
}

bool FrontEnd::send(std::uint32_t stream, const Packet& packet, Deadline deadline) {
  StreamNode& node = state_->host.node();
  const bool sent =
      state_->serve_until(deadline, [&] { return !node.has_stream(stream) || node.send(stream, packet); });
  node.flush_after_send(stream);
  return sent && node.has_stream(stream);
}

std::optional<Packet> FrontEnd::receive(std::uint32_t stream, Deadline deadline) {
  std::optional<Received> received;
  StreamNode& node = state_->host.node();
  state_->serve_until(deadline, [&] {
    received = node.take(stream);
    return received.has_value() || !node.has_stream(stream);
  });
  if (!received) return std::nullopt;
  node.flush_after_take();
  return std::move(received->packet);
}

std::optional<Received> FrontEnd::receive(Deadline deadline) {
  std::optional<Received> received;
  state_->serve_until(deadline, [&] {
    received = state_->host.node().take(std::nullopt);
    return received.has_value();
  });
  if (received) state_->host.node().flush_after_take();
  return received;
}

std::optional<Event> FrontEnd::next_event() { return state_->host.node().take_event(); }

void FrontEnd::serve(Deadline deadline) {
  state_->serve_until(deadline, [] { return false; });
}

StreamCounters FrontEnd::counters(std::uint32_t stream) const { return state_->host.node().counters(stream); }

}  // namespace eventspace::streams
