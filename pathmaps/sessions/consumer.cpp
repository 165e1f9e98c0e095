#include "pathmaps/sessions/consumer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <eventspace/error.h>
#include <eventspace/session.h>
#include "pathmaps/hosting/segment_search.h"
#include "pathmaps/hosting/session_host.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "pathmaps/sessions/consumer_paths.h"
#include "pathmaps/sessions/own_process.h"
#include "pathmaps/sessions/session_security.h"
#include "paths/links/link_pool.h"
#include "paths/links/network.h"

namespace eventspace {

namespace {

/// The connections of a consumer to a running session.
struct Reach {
  Reach(const Plan& plan, const std::string& session)
      : network(network_limits(plan.limits), WhenLost::reconnect, NodeClock(), session,
                security_of(plan, session)),
        links(network),
        segments(segments_of_machine(plan, session)) {}

  Network network;
  LinkPool links;
  LocalSegments segments;                  // of this machine, for scope levels placed on the consumer
  std::optional<ConsumerPaths> own_paths;  // made for the first scope whose consumer's pulls are recorded
};

}  // namespace

struct Consumer::State {
  State(std::shared_ptr<const Plan> of_plan, const std::string& session)
      : plan(std::move(of_plan)), name(session_name(*plan, session)), own_names(plan), names(&own_names) {
    reach.emplace(*plan, name);
  }
  explicit State(std::shared_ptr<RecordedRun> run)
      : plan(run->plan()),
        name(run->session()),
        own_names(plan),
        names(&run->names()),
        recorded(std::move(run)) {}

  std::shared_ptr<const Plan> plan;
  std::string name;
  NamesOfPlan own_names;
  const PlanNames* names;
  std::optional<Reach> reach;  // for a running session
  std::shared_ptr<RecordedRun> recorded;

  [[nodiscard]] ScopeSurroundings surroundings(const ScopeTree& tree) {
    ScopeSurroundings here{.names = names,
                           .fingerprint = plan->scopes_fingerprint,
                           .endpoints = {},
                           .wrappers = &plan->wrappers};
    if (recorded != nullptr) {
      here.replay = &recorded->replay();
      return here;
    }
    here.links = &reach->links;
    here.segments = &reach->segments;
    for (const NodePlan& node : plan->nodes) here.endpoints.insert(node.endpoint());
    if (tree.consumer_pulls > 0 && !reach->own_paths && shall_collect(*plan, std::nullopt))
      reach->own_paths.emplace(name);
    if (reach->own_paths) here.own_paths = &*reach->own_paths;
    return here;
  }
};

Consumer::Consumer(const std::filesystem::path& pathmap, const std::string& session)
    : Consumer(std::make_shared<const Plan>(require_plan(pathmap)), session) {}
Consumer::Consumer(std::shared_ptr<const Plan> plan, const std::string& session)
    : state_(std::make_unique<State>(std::move(plan), session)) {}
Consumer::Consumer(std::shared_ptr<RecordedRun> recorded)
    : state_(std::make_unique<State>(std::move(recorded))) {}
Consumer::~Consumer() = default;
Consumer::Consumer(Consumer&& other) noexcept = default;

const Plan& Consumer::plan() const noexcept { return *state_->plan; }
const std::string& Consumer::session() const noexcept { return state_->name; }
const PlanNames& Consumer::names() const noexcept { return *state_->names; }

EventScope Consumer::open(const std::string& scope) {
  if (const ScopeTree* const found = plan().find_scope(scope)) return open(*found);
  std::vector<std::string> known;
  for (const ScopeTree& tree : plan().scopes) known.push_back(tree.scope);
  throw ConfigurationError(
      fmt::format("pathmap {} has no scope '{}'; it has {}", plan().name, scope, fmt::join(known, ", ")));
}

EventScope Consumer::open(ScopeTree tree) {
  if (state_->recorded != nullptr) tree = in_one_place(std::move(tree));
  tree.session = state_->name;  // a server of another session refuses its part
  const ScopeSurroundings here = state_->surroundings(tree);
  return {std::move(tree), here};
}

void Consumer::look() {
  if (state_->reach) state_->reach->segments.look();
}

Link::Counts Consumer::traffic() const noexcept {
  return state_->reach ? state_->reach->links.counts() : Link::Counts{};
}

std::optional<wire::ServerReport> Consumer::ping(NodeIndex node, std::chrono::nanoseconds timeout) {
  return ask(node, timeout).report;
}

namespace {

std::optional<Consumer::Answer> answer_in(const std::optional<Reply>& reply) {
  if (!reply || reply->is_lost()) return std::nullopt;
  if (reply->kind == wire::Kind::report) {
    auto report = wire::decode<wire::ServerReport>(reply->envelope());
    return report ? std::optional(Consumer::Answer{std::move(report), {}}) : std::nullopt;
  }
  const auto failure =
      reply->kind == wire::Kind::failed ? wire::decode<wire::Failure>(reply->envelope()) : std::nullopt;
  return failure ? std::optional(Consumer::Answer{{}, failure->text}) : std::nullopt;
}

}  // namespace

Consumer::Answer Consumer::ask(NodeIndex node, std::chrono::nanoseconds timeout) {
  const std::string endpoint = plan().nodes[node].endpoint();
  auto answers = ask_any({endpoint}, timeout);
  return answers.empty() ? Answer{} : std::move(answers.begin()->second);
}

std::map<std::string, Consumer::Answer> Consumer::ask_any(const std::set<std::string>& endpoints,
                                                          std::chrono::nanoseconds timeout) {
  if (!state_->reach) return {};
  const SessionSecurity* const security = state_->reach->network.security();
  const bool is_observer = security != nullptr && !security->gateway.empty();
  std::map<std::string, std::pair<Link*, std::uint64_t>> asked;
  for (const std::string& endpoint : is_observer ? std::set{security->gateway} : endpoints) {
    Link& link = state_->reach->links.to(endpoint);
    const std::uint64_t id = link.next_id();
    if (link.send(id, wire::encode(wire::Kind::ping, id), nullptr)) asked[endpoint] = {&link, id};
  }
  // Waits for one link at a time, and checks the others in between.
  const Deadline deadline = Deadline::after(timeout);
  std::map<std::string, Answer> answers;
  while (answers.empty() && !asked.empty()) {
    const bool is_last_round = deadline.passed();
    for (auto next = asked.begin(); next != asked.end();) {
      const auto [endpoint, request] = *next++;
      const auto slice = std::chrono::milliseconds(asked.size() == 1 ? 50 : 1);
      const auto reply = request.first->wait(request.second, earlier(deadline, Deadline::after(slice)));
      if (auto answer = answer_in(reply)) answers.emplace(endpoint, std::move(*answer));
      if (reply) asked.erase(endpoint);
    }
    if (is_last_round) break;
  }
  for (const auto& [endpoint, request] : asked)
    request.first->forget(request.second);  // a late reply is then dropped, not kept for a reader
  return answers;
}

}  // namespace eventspace
