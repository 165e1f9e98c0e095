#include "monitors/probing/nodes/node_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include <eventspace/error.h>
#include <eventspace/session_network.h>
#include "monitors/cli/faulty_pathmap.h"
#include "monitors/probing/groups/process_facts.h"
#include "monitors/probing/nodes/group_filter.h"
#include "monitors/servers/find_program.h"
#include "monitors/text/plain_output.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

constexpr auto start_limit = 30s;
constexpr auto others_limit = 10s;   // after a failure
constexpr auto answer_limit = 120s;  // reading the symbols of large programs takes seconds

PathmapNetwork network_of_hosts(const NodeChoice& nodes) {
  const std::vector<std::string> hosts = streams::parse_hosts(nodes.hosts, "--hosts");
  if (hosts.empty()) throw ConfigurationError("--hosts names no machine");
  PathmapNetwork made{streams::Topology::k_ary(nodes.fan_out, hosts.size()), {}};
  made.topology.place("localhost", {}, hosts);
  if (!nodes.launcher.empty()) {
    std::istringstream words(nodes.launcher);
    made.options.launcher.clear();
    for (std::string word; words >> word;) made.options.launcher.push_back(word);
  }
  for (const std::string& host : hosts)
    if (host == "localhost" || host == own_host()) made.options.launchers[host] = {};
  return made;
}

PathmapNetwork network_of_nodes(const NodeChoice& nodes) {
  PathmapNetwork made =
      nodes.pathmap.empty()
          ? network_of_hosts(nodes)
          : network_of(*read_pathmap_file(nodes.pathmap, "the command may read it more than once"),
                       BackEnds::nodes);
  const std::string program = (nodes.program.empty() ? own_program() : nodes.program).string();
  made.options.internal = {program, "serve", "--streams-on-input"};
  made.options.back_end = {program, "agent"};
  return made;
}

}  // namespace

NodeNetwork::NodeNetwork(const NodeChoice& nodes) {
  register_group_filters();
  PathmapNetwork made = network_of_nodes(nodes);
  nodes_ = made.topology.back_ends();
  network_ = std::make_unique<streams::LaunchedNetwork>(made.topology, std::move(made.options));
  try {
    network_->wait_until_ready(Deadline::after(start_limit));
  } catch (const EnvironmentError& error) {
    // The exception is thrown at the first failure, when other nodes may still be starting.
    streams::FrontEnd& front_end = network_->front_end();
    const Deadline limit = Deadline::after(others_limit);
    while (front_end.ranks().size() + 1 < nodes_ && !limit.passed()) front_end.serve(Deadline::after(50ms));
    if (front_end.ranks().empty()) throw;
    failures_.emplace_back(error.what());
  }
}

void NodeNetwork::report_failures() const {
  for (const std::string& failure : failures_) print_message(failure);
}

std::uint32_t NodeNetwork::open(const char* filter) {
  return network_->front_end().open(
      {.synchronise = streams::Synchronise::time_out, .time_out = answer_limit, .up = {{.name = filter}}});
}

std::string NodeNetwork::host_of(RankSet::Rank rank) const {
  const streams::Topology& topology = network_->front_end().topology();
  return topology.at(topology.of_rank(rank)).host;
}

NodeNetwork::Answer NodeNetwork::ask(std::uint32_t stream, const streams::Packet& order) {
  streams::FrontEnd& front_end = network_->front_end();
  const Deadline deadline = Deadline::after(answer_limit + 10s);
  if (!front_end.send(stream, order, deadline)) throw EnvironmentError("the nodes can no longer be reached");
  auto packet = front_end.receive(stream, deadline);
  if (!packet) throw EnvironmentError("no node has answered");
  Answer answer{std::move(*packet), {}};
  for (const RankSet::Rank rank : answer.packet.ranks.ranks()) answer.silent.push_back(host_of(rank));
  return answer;
}

void NodeNetwork::wait(std::chrono::nanoseconds time) { network_->front_end().serve(Deadline::after(time)); }

}  // namespace eventspace
