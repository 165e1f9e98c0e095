#include "pathmaps/plan/session_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "pathmaps/plan/fingerprint.h"
#include "pathmaps/plan/plan_names.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

constexpr std::size_t longest_name = 63;
constexpr std::uint64_t most_records = 500'000;  // the default of scopes in pathmaps

ScopeNode reading(const Plan& plan) {
  ScopeNode read;
  read.name = "processes";
  read.wrapper = "read";
  read.unplanned = unplanned_numbers(plan, NodeIndex(0));
  return read;
}

ScopeTree scope(const Plan& plan, std::string name, bool next, std::string wrapper, Parameters parameters) {
  ScopeTree tree;
  tree.scope = std::move(name);
  tree.fingerprint = plan.scopes_fingerprint;
  tree.next = next;
  tree.most = next ? most_records : 0;
  tree.root.name = "session " + plan.name;
  tree.root.wrapper = std::move(wrapper);
  tree.root.parameters = std::move(parameters);
  tree.root.children.push_back(reading(plan));
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

Plan plan_with_node(const std::string& session, std::string node) {
  Plan plan;
  plan.name = session;
  plan.has_pathmap = false;
  NodePlan here;
  here.name = std::move(node);
  here.host = "localhost";
  plan.nodes.push_back(std::move(here));
  return plan;
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
  check_session_name(name);
  Plan plan = plan_with_node(name, own_node_name());
  plan.fingerprint = fingerprint_of(plan);
  plan.scopes_fingerprint = plan.fingerprint;
  add_scopes(plan);
  return std::make_shared<const Plan>(std::move(plan));
}

std::shared_ptr<const Plan> plan_of_unplanned_process(const std::string& session, const std::string& node,
                                                      const std::string& process) {
  check_session_name(session);
  Plan plan = plan_with_node(session, node);
  plan.processes.push_back({process, NodeIndex(0), 0, ""});
  return std::make_shared<const Plan>(std::move(plan));
}

}  // namespace eventspace
