#include "scopes/scope_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "paths/remote/remote_stage.h"
#include "scopes/gathering/combine_stage.h"
#include "scopes/gathering/subscription_stage.h"
#include "scopes/gathering/watched_stage.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/pulls/pull_bodies.h"
#include "scopes/reading/read_stage.h"
#include "scopes/recordings/replay_stage.h"
#include "scopes/requests/request_wrapper.h"
#include "scopes/tree/scope_bounds.h"
#include "scopes/tree/scope_codec.h"
#include "scopes/wrappers/scope_wrappers.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

/// Keeps the names that come with the views of the children, for the operators after it.
class LearnNames final : public ViewOperator {
 public:
  explicit LearnNames(const PlanNames& names) noexcept : names_(&names) {}
  void apply(View& view) override { names_->learn(view.names); }
  [[nodiscard]] bool acts_on_records() const noexcept override { return false; }

 private:
  const PlanNames* names_;
};

class Builder {
 public:
  Builder(const ScopeTree& tree, const ScopeSurroundings& here)
      : tree_(tree),
        here_(here),
        weight_(weight_of(tree.root)),
        request_(request_wrapper(here.segments == nullptr
                                     ? SteeredProcesses{}
                                     : SteeredProcesses{here.segments->config().session,
                                                        here.segments->config().node,
                                                        here.segments->config().directory})) {
    for (const ReadPosition& position : tree.resume)
      resume_.emplace(SourceRef{position.trace, position.process}, position);
    if (!reads_dynamic(tree.root)) return;
    for (const auto& [source, position] : resume_) by_process_.emplace(source.process, &position);
  }

  // The root of a part that a server runs has no endpoint; the root of a consumer's tree may have one.
  std::unique_ptr<Stage> root() {
    if (is_subscription()) return std::make_unique<SubscriptionStage>(subscription_root(), tree_.look);
    if (tree_.root.endpoint.empty()) return local(tree_.root, true);
    return remote(tree_.root);
  }

 private:
  using Operators = std::vector<std::unique_ptr<ViewOperator>>;

  [[nodiscard]] bool is_subscription() const { return tree_.look.count() > 0; }

  // A combining stage keeps the pull of a server under way from poll to poll.
  std::unique_ptr<Stage> subscription_root() {
    if (tree_.root.endpoint.empty()) return local(tree_.root, true);
    std::vector<CombineStage::Child> children;
    children.push_back(child_of(tree_.root, tree_.root));
    CombineStage::Config config;
    config.subscription_interval = tree_.look;
    return std::make_unique<CombineStage>(config, std::move(children), Operators{});
  }

  // Makes `node` run here and ignores its placement.
  std::unique_ptr<Stage> local(const ScopeNode& node, bool timed) {
    if (node.wrapper == "read") return reading(node);
    if (!is_watched(node)) {
      Operators operators;
      const ScopeNode& combining = collect_operators(node, operators);
      return combine(combining, timed ? node.name : "", std::move(operators));
    }
    if (!timed) return watched(node);
    std::vector<CombineStage::Child> children(1);
    children.front().stage = watched(node);
    CombineStage::Config config{node.name};
    config.subscription_interval = tree_.look;
    return std::make_unique<CombineStage>(config, std::move(children), Operators{});
  }

  std::unique_ptr<Stage> reading(const ScopeNode& node) {
    const ReadStage::Sources sources{node.sources, node.dynamic};
    const ReadMode mode{tree_.next, tree_.batch, share_of(node, tree_.most, weight_), tree_.probes};
    if (here_.replay != nullptr) {
      const bool is_first = !std::exchange(has_replay_stage_, true);
      return std::make_unique<ReplayStage>(sources, mode, *here_.replay, is_first);
    }
    return std::make_unique<ReadStage>(sources, mode, *here_.segments, *here_.names, positions_below(node));
  }

  // Makes the stage that pulls from the children of `node` and joins their views.
  std::unique_ptr<Stage> combine(const ScopeNode& node, std::string timed_as, Operators operators) {
    std::vector<CombineStage::Child> children;
    for (const ScopeNode& child : node.children) children.push_back(child_of(node, child));
    if (tree_.probes || reads_dynamic(node))
      operators.insert(operators.begin(), std::make_unique<LearnNames>(*here_.names));
    CombineStage::Config config{std::move(timed_as), node.asking, node.threads, {}, tree_.look};
    if (node.when_late == WhenLate::skip) config.skip = {node.first_skip, node.longest_skip};
    return std::make_unique<CombineStage>(std::move(config), std::move(children), std::move(operators));
  }

  // An untrusted wrapper runs in its own thread, on the joined views of its children. The thread may outlive
  // the stage, so it keeps the names too.
  std::unique_ptr<Stage> watched(const ScopeNode& node) {
    const std::shared_ptr<const PlanNames> kept = here_.names->shared();
    auto wrapper = std::make_unique<OperatorThread>(make_operator(node, kept ? *kept : *here_.names), kept);
    WatchedStage::Config config{*find(node)->limit,
                                {tree_.root.node,
                                 fmt::format("wrapper {} of {}", node.wrapper, node.name),
                                 {},
                                 "",
                                 static_cast<std::uint32_t>(count_sources(node))}};
    return std::make_unique<WatchedStage>(std::move(config), combine(node, "", {}), std::move(wrapper));
  }

  [[nodiscard]] const ScopeWrapperInfo* find(const ScopeNode& node) const {
    // Not a wrapper for pathmaps: only `measure` makes its parameters.
    static const ScopeWrapperInfo metric = metric_wrapper();
    if (node.wrapper == metric.name) return &metric;
    if (node.wrapper == request_.name) return &request_;
    return here_.wrappers == nullptr ? find_scope_wrapper(node.wrapper)
                                     : find_scope_wrapper(node.wrapper, *here_.wrappers);
  }
  [[nodiscard]] bool is_watched(const ScopeNode& node) const {
    const ScopeWrapperInfo* const info = find(node);
    return info != nullptr && info->limit;
  }
  // Whether `node`, or a node below it that runs here, is watched.
  [[nodiscard]] bool has_watched(const ScopeNode& node) const {
    return is_watched(node) || std::any_of(node.children.begin(), node.children.end(),
                                           [this](const ScopeNode& child) { return has_watched(child); });
  }

  CombineStage::Child child_of(const ScopeNode& parent, const ScopeNode& child) {
    CombineStage::Child made;
    made.stage = stage(child);
    if (parent.when_late != WhenLate::wait) made.timeout = child.timeout;
    made.known_as = {child.node,
                     child.endpoint.empty() ? child.name : server_of(child),
                     {},
                     "",
                     static_cast<std::uint32_t>(count_sources(child))};
    made.is_elsewhere = !child.endpoint.empty();
    made.is_local = child.endpoint.empty() && runs_in_one_place(child) && !has_watched(child);
    return made;
  }

  static std::string server_of(const ScopeNode& node) { return fmt::format("server of node {}", node.node); }

  std::unique_ptr<Stage> stage(const ScopeNode& node) {
    if (node.endpoint.empty()) return local(node, false);
    return remote(node);
  }

  // A chain of wrappers becomes one stage with several operators, innermost first, if each has one child and
  // all run in one place without their own time-outs. Returns the node whose children the stage pulls from.
  const ScopeNode& collect_operators(const ScopeNode& node, Operators& operators) {
    const ScopeNode* innermost = &node;
    const bool chained = node.children.size() == 1 && node.children.front().endpoint.empty() &&
                         node.children.front().wrapper != "read" &&
                         node.children.front().timeout.count() == 0 && !is_watched(node.children.front());
    if (chained) innermost = &collect_operators(node.children.front(), operators);
    operators.push_back(make_operator(node, *here_.names));
    return *innermost;
  }

  std::unique_ptr<ViewOperator> make_operator(const ScopeNode& node, const PlanNames& names) {
    const ScopeWrapperInfo* const info = find(node);
    if (info == nullptr) throw ConfigurationError(fmt::format("unknown scope wrapper '{}'", node.wrapper));
    if (!info->combines && node.children.size() != 1) {
      throw ConfigurationError(fmt::format("{}: the wrapper {} has {} children; it takes one", node.name,
                                           node.wrapper, node.children.size()));
    }
    Parameters given = node.parameters;
    if (node.wrapper == "metric") given["resumed"] = !tree_.resume.empty();
    return info->make(complete_parameters(info->parameters, given, node.wrapper), names);
  }

  std::unique_ptr<Stage> remote(const ScopeNode& node) {
    RemoteTarget target;
    std::vector<std::string> hops = node.route;
    hops.push_back(node.endpoint);
    target.endpoint = hops.front();
    if (!here_.endpoints.contains(target.endpoint)) {
      throw ConfigurationError(fmt::format("{} is not a server of this pathmap", target.endpoint));
    }
    target.open.kind = steers_processes(node) ? steering_scope_target : scope_target;
    target.open.route.assign(hops.begin() + 1, hops.end());
    target.node = node.node;
    target.allowance = node.allowance;
    PullClient::Config client = client_of(node);
    if (!client.spec_behind) target.open.spec = encode(part(node));
    auto stage = std::make_unique<RemoteStage>(*here_.links, std::move(target),
                                               std::make_unique<PullClient>(std::move(client)));
    if (here_.own_paths == nullptr) return stage;
    return here_.own_paths->ask(tree_, node, std::move(stage));
  }

  [[nodiscard]] PullClient::Config client_of(const ScopeNode& node) const {
    PullClient::Config client;
    client.known_as = {node.node, server_of(node), {}, "", static_cast<std::uint32_t>(count_sources(node))};
    if (!tree_.next) return client;
    client.begin = positions_below(node);
    client.spec_behind = [there = part(node)](const std::vector<ReadPosition>& positions) mutable {
      there.resume = positions;
      return encode(there);
    };
    return client;
  }

  [[nodiscard]] ScopeTree part(const ScopeNode& node) const {
    ScopeTree part{tree_.scope, tree_.fingerprint, tree_.next, tree_.batch, 0, tree_.since, node};
    part.probes = tree_.probes;
    part.look = tree_.look;
    part.session = tree_.session;
    part.most = share_of(node, tree_.most, weight_);
    part.root.endpoint.clear();
    part.root.route.clear();
    return part;
  }

  [[nodiscard]] std::vector<ReadPosition> positions_below(const ScopeNode& node) const {
    std::vector<ReadPosition> positions;
    if (!resume_.empty()) collect_positions(node, positions);
    return positions;
  }
  void collect_positions(const ScopeNode& node, std::vector<ReadPosition>& positions) const {
    for (auto next = by_process_.lower_bound(node.dynamic.first);
         next != by_process_.end() && node.dynamic.has(next->first); ++next)
      positions.push_back(*next->second);
    for (const SourceRef& source : node.sources) {
      if (const auto found = resume_.find(source); found != resume_.end()) positions.push_back(found->second);
    }
    for (const ScopeNode& child : node.children) collect_positions(child, positions);
  }

  const ScopeTree& tree_;
  const ScopeSurroundings& here_;
  std::size_t weight_;
  const ScopeWrapperInfo request_;  // as with metrics, only `when` makes its parameters
  bool has_replay_stage_{false};
  std::map<SourceRef, ReadPosition> resume_;
  std::multimap<std::uint32_t, const ReadPosition*>
      by_process_;  // the same, if the tree reads ranges of processes
};

void check_fingerprint(const ScopeTree& tree, std::uint64_t here) {
  if (tree.fingerprint == here) return;
  throw ConfigurationError(fmt::format(
      "scope {} comes from another version of the pathmap ({:016x}) than the one in use here ({:016x}); "
      "restart the processes that still use the old one",
      tree.scope, tree.fingerprint, here));
}

void check_session(const ScopeTree& tree, const std::string& here) {
  if (tree.session == here) return;
  throw ConfigurationError(fmt::format(
      "scope {} was opened in session '{}', and this server is of session '{}': give the sessions "
      "different ports, or keys",
      escaped(tree.scope), escaped(tree.session), here));
}

}  // namespace

std::unique_ptr<Stage> build_scope(const ScopeTree& tree, const ScopeSurroundings& here) {
  check_fingerprint(tree, here.fingerprint);
  std::unique_ptr<Stage> root = Builder(tree, here).root();
  if (here.own_paths == nullptr) return root;
  return here.own_paths->answer(tree, std::move(root));
}

std::shared_ptr<const TargetKind> scope_target_kind(
    std::string session, const PlanNames& names, LocalSegments& segments, std::uint64_t fingerprint,
    std::set<std::string> endpoints, const std::vector<ScopeWrapperInfo>* wrappers, OwnPaths* own_paths,
    std::function<bool(const SourceRef&)> has_source, Steering steering) {
  return pull_kind([session = std::move(session), &names, &segments, fingerprint,
                    endpoints = std::move(endpoints), wrappers, own_paths, has_source = std::move(has_source),
                    steering](Bytes spec, LinkPool& links) {
    const ScopeTree tree = decode_scope_tree(spec);
    check_fingerprint(tree, fingerprint);  // first: the numbers of another plan mean nothing here
    check_session(tree, session);
    check_scope_tree(tree, has_source);
    if (steering == Steering::refused && steers_processes(tree.root))
      throw ConfigurationError("only an owner of the session may stop, continue or switch processes");
    return build_scope(tree, {&links, &segments, &names, fingerprint, endpoints, wrappers, own_paths});
  });
}

}  // namespace eventspace
