#include <eventspace/streams.h>
#include "scopes/streams/processes/internal_end_point.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/stream_network.h>
#include <eventspace/topology.h>
#include "paths/sockets/loop_descriptor.h"
#include "scopes/streams/attaching/attach_lines.h"
#include "scopes/streams/attaching/network_file.h"
#include "scopes/streams/attaching/network_keys.h"
#include "scopes/streams/attaching/session_places.h"
#include "scopes/streams/processes/network_events.h"
#include "scopes/streams/processes/node_host.h"
#include "scopes/streams/processes/packet_handlers.h"
#include "scopes/streams/processes/report_gathering.h"
#include "scopes/streams/processes/report_target.h"
#include "scopes/streams/processes/serving.h"
#include "tuplespace/sockets/session_socket.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace::streams {
namespace {

std::string new_name() {
  static std::atomic<int> made{0};
  return fmt::format("streams-{}-{}", ::getpid(), ++made);
}

std::string checked_name(const std::string& given) {
  if (given.empty()) return new_name();
  if (is_network_name(given)) return given;
  throw ConfigurationError(
      fmt::format("'{}' cannot be the name of a network; a name has at most 63 letters, digits, '.', '-' and "
                  "'_', and does not begin with '.'",
                  escaped(given)));
}

}  // namespace

/// The front-end and its reports, in the loop of its server.
class FrontEnd::State final : public Attendant {
 public:
  State(Topology shape, Options given)
      : options(std::move(given)),
        topology(std::move(shape)),
        name(checked_name(options.name)),
        network(limits_for(topology.at(0).children.size()), WhenLost::end, NodeClock(), {}, options.security),
        host(Part::front_end, {name, child_back_ends(topology, 0), end_points_below(topology, 0), {}, {}, 0},
             nullptr),
        gathering(host.node()),
        desk(
            gathering, [this] { return report(); },
            [this] {
              if (call) call();
            }),
        events(host.node()),
        handlers(host.node(),
                 [this](std::uint32_t stream, std::uint64_t wave, const std::string& why) {
                   host.node().streams().report_handler_fault(stream, wave, why);
                 }),
        server(network, {.endpoint = front_endpoint(),
                         .name = "the front-end of the network " + name,
                         .session = {},
                         .targets = {{std::string(target_name), host.kind()},
                                     {std::string(report_target_name), desk.kind()}},
                         .routes = {},
                         .attendant = this}) {
    handlers.keep_from_user(
        [this](std::uint32_t stream) { return stream == gathering.stream() || stream == events.news(); });
    host.node().refuges().set_adoption(options.adoption);
    if (options.host.empty()) options.host = name_of_this_machine();
    endpoints[0] = !options.announced.empty() ? options.announced
                   : options.endpoint.empty() ? SessionSocket(name, "0").endpoint()
                                              : options.endpoint;
    file.emplace(AttachPoint{name, endpoints[0], {}, options.keys});
    if (options.internals == Internals::elsewhere) {
      events.listen_to(host.node().streams().open({.members = ranks_of_internals(),
                                                   .synchronise = Synchronise::do_not_wait,
                                                   .when_full = WhenFull::drop_newest}));
    }
    for (std::uint32_t i = 1; options.internals == Internals::threads && i < topology.size(); ++i) {
      if (topology.at(i).part == Part::internal) start_internal(i);
    }
    if (const std::string text = attach_text(); !options.session.empty() && !text.empty())
      places.emplace(options.session, name, 0, text);
  }
  /// The attach points of all back-ends whose parents are known.
  [[nodiscard]] std::string attach_text() const {
    std::string text;
    for (const auto& [process, endpoint] : endpoints) {
      const RankSet ranks = child_back_ends(topology, process);
      if (!ranks.empty()) text += attach_line({name, endpoint, {}, options.keys}, ranks) + '\n';
    }
    return text;
  }

  ~State() {
    host.node().end("the front-end has ended the network");
    host.attend();
    // Internal processes forward the end to the processes below them, so they have to live until then.
    const auto has_ended = [](const auto& internal) { return internal->has_ended(); };
    for (const Deadline end = Deadline::after(tells_within);
         !end.passed() && !std::ranges::all_of(internals, has_ended);)
      server.serve(Deadline::after(std::chrono::milliseconds(5)));
    server.end_serving();  // the links end, and so do the internal processes
    internals.clear();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Serves until `holds` is true or the deadline; returns whether it is true.
  template <class Holds>
  bool serve_until(Deadline deadline, Holds holds) {
    while (!holds()) {
      host.attend();  // sends held packets
      if (deadline.passed()) {
        server.serve(Deadline::now());
        look();
        return holds();
      }
      server.serve(options.find_failures ? earlier(deadline, Deadline::after(between_looks)) : deadline);
      look();
    }
    return true;
  }

  static constexpr std::chrono::milliseconds between_looks{20};

  // Whether a process was attached and is no longer.
  [[nodiscard]] bool is_lost(std::uint32_t process) {
    const RankSet::Rank rank = rank_of_internal(process);
    return process != 0 && seen_internals.contains(rank) && !host.node().ranks().contains(rank);
  }

  void look() {
    seen_internals = seen_internals | (host.node().ranks() & ranks_of_internals());
    if (options.find_failures) {
      for (const std::string& failure : options.find_failures()) events.notify_failure(failure);
    }
    events.look();
    if (!handlers.hand_out()) return;
    host.attend();
    events.look();
  }

  /// To be called at the end of each function of the interface.
  void show() {
    if (outside)
      server.show_to(*outside, host.node().streams().has_packets() ? Deadline::now() : Deadline::never());
  }

  void begin(LinkPool& links, std::function<void()> wake) override {
    call = wake;
    host.begin(links, std::move(wake));
  }
  void attend() override {
    host.attend();
    desk.look();
  }
  [[nodiscard]] Deadline due() override { return host.due(); }
  void end() override {
    host.end();
    call = nullptr;
  }

  [[nodiscard]] NetworkReport report() {
    NetworkReport made{.network = name,
                       .topology = topology.to_text(),
                       .back_ends = topology.back_ends(),
                       .attached = host.node().ranks() - ranks_of_internals(),
                       .internals = numbers_of(host.node().ranks())};
    made.silent = made.internals;
    for (const ProcessReport& process : gathering.processes())
      made.silent = made.silent - RankSet::of_range(process.process, process.process);
    made.processes.push_back({0, options.host, ::getpid(), endpoints.at(0), host.node().malformed(),
                              host.node().streams().report()});
    std::erase_if(made.processes[0].streams, [this](const StreamReport& one) {
      return one.stream == gathering.stream() || one.stream == events.news();
    });
    made.processes.insert(made.processes.end(), gathering.processes().begin(), gathering.processes().end());
    return made;
  }

  // A front-end at a port reserves its name, too, so that it is unique for this user on this machine.
  std::string front_endpoint() {
    std::string local = local_endpoint(0);
    if (options.endpoint.empty()) return local;
    return options.endpoint;
  }

  // Takes the socket first, so that another process cannot have it.
  std::string local_endpoint(std::uint32_t process) {
    const SessionSocket socket(name, std::to_string(process));
    sockets.push_back(socket.require("the network of streams " + name));
    return socket.endpoint();
  }

  void start_internal(std::uint32_t process) {
    endpoints[process] = local_endpoint(process);
    internals.push_back(std::make_unique<InternalProcess>(
        InternalProcess::Config{.parent = {name, endpoints.at(topology.at(process).parent), {}},
                                .endpoint = endpoints[process],
                                .places = child_back_ends(topology, process),
                                .below = end_points_below(topology, process),
                                .children = topology.at(process).children.size(),
                                .security = options.security,
                                .process = process,
                                .host = topology.at(process).host}));
    internals.back()->start();
  }

  static constexpr std::chrono::seconds tells_within{2};

  Options options;
  Topology topology;
  std::string name;
  std::vector<SessionSocket::Taken> sockets;
  std::map<std::uint32_t, std::string> endpoints;  // of processes with children
  Network network;
  NodeHost host;
  RankSet seen_internals;
  std::function<void()> call;  // makes the server's loop call attend()
  ReportGathering gathering;
  ReportDesk desk;
  NetworkEvents events;
  PacketHandlers handlers;
  std::optional<LoopDescriptor> outside;  // if descriptor() was called
  Server server;
  std::optional<NetworkFile> file;
  std::optional<SessionPlaces> places;
  std::vector<std::unique_ptr<InternalProcess>> internals;
};

FrontEnd::FrontEnd(Topology topology, Options options)
    : state_(std::make_unique<State>(std::move(topology), std::move(options))) {}
FrontEnd::FrontEnd(Topology topology) : FrontEnd(std::move(topology), Options{}) {}
FrontEnd::~FrontEnd() = default;

const std::string& FrontEnd::name() const noexcept { return state_->name; }
const Topology& FrontEnd::topology() const noexcept { return state_->topology; }
const std::string& FrontEnd::endpoint() const noexcept { return state_->endpoints.find(0)->second; }
RankSet FrontEnd::ranks() const { return state_->host.node().ranks() - ranks_of_internals(); }
RankSet FrontEnd::internals() const { return state_->host.node().ranks() & ranks_of_internals(); }

AttachPoint FrontEnd::attach_point(RankSet::Rank rank) const {
  std::uint32_t parent = state_->topology.at(state_->topology.of_rank(rank)).parent;
  while (state_->is_lost(parent)) parent = state_->topology.at(parent).parent;
  const auto endpoint = state_->endpoints.find(parent);
  if (endpoint == state_->endpoints.end()) {
    throw EnvironmentError(fmt::format("the internal process {}, to which back-end {} attaches, is not there",
                                       state_->topology.at(parent).name(), rank));
  }
  return {state_->name, endpoint->second, rank, state_->options.keys};
}

bool FrontEnd::wait_for_internals(std::size_t internal_processes, Deadline deadline) {
  const bool all = state_->serve_until(deadline, [&] { return internals().size() >= internal_processes; });
  state_->show();
  return all;
}

const std::vector<std::string>& FrontEnd::failures() const noexcept { return state_->events.failures(); }

void FrontEnd::announce(std::uint32_t process, std::string endpoint) {
  if (process == 0 || state_->topology.at(process).part != Part::internal)
    throw std::out_of_range(fmt::format("process {} of the topology is not an internal process", process));
  state_->endpoints[process] = std::move(endpoint);
}

std::string FrontEnd::attach_text() const { return state_->attach_text(); }

bool FrontEnd::wait_for(std::size_t back_ends, Deadline deadline) {
  const bool all = state_->serve_until(deadline, [&] { return ranks().size() >= back_ends; });
  state_->show();
  return all;
}

std::uint32_t FrontEnd::open(const StreamOptions& options) {
  StreamOptions chosen = options;
  if (chosen.members.empty()) chosen.members = ranks_of_back_ends();
  const std::uint32_t stream = state_->host.node().streams().open(chosen);
  state_->host.attend();
  state_->show();
  return stream;
}

bool FrontEnd::set_members(std::uint32_t stream, const RankSet& members) {
  const bool is_known =
      state_->host.node().streams().set_members(stream, members.empty() ? ranks_of_back_ends() : members);
  state_->host.attend();
  state_->show();
  return is_known;
}

std::optional<std::uint64_t> FrontEnd::set_filters(std::uint32_t stream, const std::vector<FilterUse>& up,
                                                   const std::vector<FilterUse>& down, Deadline deadline) {
  StreamNode& node = state_->host.node();
  if (!node.streams().begin_change(stream, up, down)) return std::nullopt;
  try {
    state_->serve_until(deadline, [&] { return node.streams().has_answers(stream); });
  } catch (...) {  // from a function for events: waves must not wait forever
    node.streams().drop_unanswered_change(stream);
    throw;
  }
  const auto first_wave = node.streams().end_change(stream);
  state_->host.attend();
  return first_wave;
}

std::optional<std::uint64_t> FrontEnd::set_parameters(std::uint32_t stream, const std::string& filter,
                                                      const Parameters& parameters, Deadline deadline) {
  const StreamOptions* const options = state_->host.node().streams().options(stream);
  if (options == nullptr) return std::nullopt;
  std::vector<FilterUse> up = options->up;
  std::vector<FilterUse> down = options->down;
  bool is_known = false;
  for (std::vector<FilterUse>* const uses : {&up, &down}) {
    for (FilterUse& use : *uses) {
      if (use.name != filter) continue;
      is_known = true;
      for (const auto& [name, value] : parameters) use.parameters.insert_or_assign(name, value);
    }
  }
  if (!is_known) throw ConfigurationError(fmt::format("stream {} has no filter '{}'", stream, filter));
  return set_filters(stream, up, down, deadline);
}

void FrontEnd::close(std::uint32_t stream) {
  state_->host.node().streams().close(stream);
  state_->host.attend();
  state_->show();
}

bool FrontEnd::send(std::uint32_t stream, const Packet& packet, Deadline deadline) {
  StreamNode& node = state_->host.node();
  bool is_told = false;
  const bool sent = state_->serve_until(deadline, [&] {
    if (!node.streams().has_stream(stream) || node.streams().send(stream, packet)) return true;
    if (!std::exchange(is_told, true)) state_->events.notify_no_room(stream);
    return false;
  });
  node.sender().flush_after_send(stream);
  state_->show();
  return sent && node.streams().has_stream(stream);
}

std::optional<Packet> FrontEnd::receive(std::uint32_t stream, Deadline deadline) {
  std::optional<Received> received;
  StreamNode& node = state_->host.node();
  state_->serve_until(deadline, [&] {
    received = node.streams().take(stream);
    return received.has_value() || !node.streams().has_stream(stream);
  });
  if (received) node.sender().flush_after_take();
  state_->show();
  if (!received) return std::nullopt;
  return std::move(received->packet);
}

std::optional<Received> FrontEnd::receive(Deadline deadline) {
  std::optional<Received> received;
  state_->serve_until(deadline, [&] {
    received = state_->host.node().streams().take(std::nullopt);
    // The answer to the front-end's own question is not for the user.
    if (received && received->stream == state_->events.news()) {
      state_->events.hear(received->packet);
      received.reset();
    }
    if (received && received->stream == state_->gathering.stream()) {
      state_->gathering.take_in(received->packet);
      received.reset();
      state_->desk.look();
    }
    return received.has_value();
  });
  if (received) state_->host.node().sender().flush_after_take();
  state_->show();
  return received;
}

void FrontEnd::on_packet(std::function<void(const Received& received)> handle) {
  state_->handlers.set(std::nullopt, std::move(handle));
}

void FrontEnd::on_packet(std::uint32_t stream, std::function<void(const Received& received)> handle) {
  state_->handlers.set(stream, std::move(handle));
}

int FrontEnd::descriptor() {
  if (!state_->outside) state_->outside.emplace();
  state_->show();
  return state_->outside->get();
}

std::optional<Event> FrontEnd::next_event() { return state_->events.next(); }

void FrontEnd::on_event(std::function<void(const Event& event)> handle) {
  state_->events.hand_to(std::move(handle));
}

NetworkReport FrontEnd::gather_report(Deadline deadline) {
  state_->gathering.begin();
  state_->host.attend();
  state_->serve_until(deadline, [this] { return state_->gathering.look(); });
  state_->show();
  return state_->report();
}

void FrontEnd::serve(Deadline deadline) {
  state_->serve_until(deadline, [] { return false; });
  state_->show();
}

StreamCounters FrontEnd::counters(std::uint32_t stream) const {
  return state_->host.node().streams().counters(stream);
}

}  // namespace eventspace::streams
