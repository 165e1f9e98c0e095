#include "pathmaps/plan/session_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include <eventspace/error.h>
#include "pathmaps/plan/fingerprint.h"
#include "pathmaps/plan/plan_names.h"
#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::size_t longest_name = 63;
constexpr std::uint64_t max_records = 500'000;  // the default of scopes in pathmaps
constexpr std::chrono::nanoseconds job_timeout = std::chrono::seconds(2);

ScopeNode reading(const Plan& plan, NodeIndex index) {
  ScopeNode read;
  read.name = plan.nodes.size() == 1 ? "processes" : "node " + plan.nodes[index].name;
  read.wrapper = "read";
  read.dynamic = dynamic_numbers(plan, index);
  if (const NodePlan& node = plan.nodes[index]; node.port != 0) {
    read.node = node.name;
    read.endpoint = node.endpoint();
  }
  return read;
}

ScopeTree scope(const Plan& plan, std::string name, bool next, std::string wrapper, Parameters parameters) {
  ScopeTree tree;
  tree.scope = std::move(name);
  tree.fingerprint = plan.scopes_fingerprint;
  tree.next = next;
  tree.most = next ? max_records : 0;
  tree.root.name = "session " + plan.name;
  tree.root.wrapper = std::move(wrapper);
  tree.root.parameters = std::move(parameters);
  for (const NodeIndex node : plan.nodes.indices()) tree.root.children.push_back(reading(plan, node));
  if (plan.nodes.size() == 1) return tree;
  // A machine of a job that does not answer must not delay the others at each pull.
  tree.root.when_late = WhenLate::skip;
  for (ScopeNode& read : tree.root.children)
    if (!read.endpoint.empty()) read.timeout = job_timeout;
  return tree;
}

void add_scopes(Plan& plan) {
  plan.scopes.push_back(scope(plan, "heartbeat", false, "gather", {}));
  plan.scopes.push_back(scope(plan, "events", true, "gather", {}));
  const std::array<std::pair<const char*, const char*>, 3> groups{
      {{"values", "thread"}, {"values-by-process", "process"}, {"values-by-node", "node"}}};
  for (const auto& [name, by] : groups) {
    plan.scopes.push_back(
        scope(plan, name, true, "aggregate", {{"of", std::string("duration")}, {"by", std::string(by)}}));
  }
}

Plan plan_with_node(const std::string& session, NodePlan node) {
  Plan plan;
  plan.name = session;
  plan.has_pathmap = false;
  plan.nodes.push_back(std::move(node));
  return plan;
}

NodePlan this_machine(std::string name) {
  NodePlan node;
  node.name = std::move(name);
  node.host = "localhost";
  return node;
}

NodePlan machine_at(std::string_view endpoint) {
  constexpr std::string_view scheme = "tcp://";
  const std::size_t colon = endpoint.rfind(':');
  NodePlan node;
  if (endpoint.starts_with(scheme) && colon > scheme.size() && colon != std::string_view::npos) {
    std::string_view host = endpoint.substr(scheme.size(), colon - scheme.size());
    const std::string_view port = endpoint.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    node.port = number_in<decltype(node.port)>(port).value_or(0);
    node.host = host;
    node.name = made_plain(host, longest_name);
  }
  if (node.port == 0 || node.host.empty()) {
    throw ConfigurationError(
        fmt::format("found the endpoint '{}'; expected tcp://HOST:PORT", made_plain(endpoint, longest_name)));
  }
  return node;
}

// A function of the session's name, so that it is the same for its monitors on all machines.
std::uint64_t fingerprint_of_session(const std::string& session) {
  return fingerprint_of(plan_with_node(session, this_machine("localhost")));
}

std::shared_ptr<const Plan> plan_for_monitors(const std::string& session, NodePlan node) {
  check_session_name(session);
  Plan plan = plan_with_node(session, std::move(node));
  plan.fingerprint = fingerprint_of_session(session);
  plan.scopes_fingerprint = plan.fingerprint;
  add_scopes(plan);
  return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace

bool looks_like_pathmap(std::string_view name) noexcept {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

void check_session_name(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    throw ConfigurationError(
        fmt::format("'{}' cannot be the name of a session: {}", made_plain(name, longest_name), why));
  };
  if (name.empty()) refuse("it is empty");
  if (name.size() > longest_name)
    refuse(fmt::format("it has {} bytes; at most {} are possible", name.size(), longest_name));
  if (name.find('/') != std::string_view::npos) refuse("it has a '/', like the path of a pathmap");
  if (looks_like_pathmap(name)) refuse("it ends like the file of a pathmap");
  if (made_plain(name, longest_name) != name) refuse("it has control characters or is not UTF-8");
}

std::string own_node_name() {
  const char* const given = std::getenv("EVENTSPACE_NODE");
  if (given != nullptr && *given != '\0') return made_plain(given, longest_name);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') return "localhost";
  return made_plain(host.data(), longest_name);
}

std::shared_ptr<const Plan> plan_of_session(const std::string& name) {
  return plan_for_monitors(name, this_machine(own_node_name()));
}

std::shared_ptr<const Plan> plan_of_session_at(const std::string& name, std::string_view endpoint) {
  return plan_for_monitors(name, machine_at(endpoint));
}

namespace {

// The numbers of nodes come first in each of these plans, whatever its nodes.
ProcessRange numbers_in_job(std::uint32_t number) {
  constexpr std::size_t places = max_job_nodes + 1;  // one more for a monitor's own machine
  return dynamic_range(places, places, number);
}

std::shared_ptr<const Plan> finished_plan_of_job(Plan plan) {
  check_session_name(plan.name);
  plan.fingerprint = fingerprint_of(plan_with_node(plan.name, this_machine("job")));
  plan.scopes_fingerprint = plan.fingerprint;
  add_scopes(plan);
  return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace

std::shared_ptr<const Plan> plan_of_job_node(const std::string& session, std::uint32_t number) {
  NodePlan node = this_machine(own_node_name());
  node.dynamic = numbers_in_job(number);
  return finished_plan_of_job(plan_with_node(session, std::move(node)));
}

std::shared_ptr<const Plan> plan_of_job(const std::string& session, std::uint32_t number,
                                        const std::vector<JobPeer>& peers,
                                        const std::filesystem::path& key_file) {
  NodePlan here = this_machine(own_node_name());
  here.dynamic = numbers_in_job(number);
  Plan plan = plan_with_node(session, std::move(here));
  plan.key_file = key_file;
  for (const JobPeer& peer : peers) {
    NodePlan node;
    node.name = peer.node;
    // Containers may have the name of their host.
    if (plan.find_node(node.name)) node.name = fmt::format("{}-{}", peer.node, peer.number);
    node.host = peer.address;
    node.port = peer.port;
    node.launch = {"-"};  // not this machine
    node.dynamic = numbers_in_job(peer.number);
    plan.nodes.push_back(std::move(node));
  }
  return finished_plan_of_job(std::move(plan));
}

std::shared_ptr<const Plan> plan_of_dynamic_process(const std::string& session, const std::string& node,
                                                    const std::string& process,
                                                    std::optional<JobMember> member) {
  check_session_name(session);
  Plan plan = plan_with_node(session, this_machine(node));
  plan.processes.push_back({process, NodeIndex(0), 0, "", member});
  return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace eventspace
