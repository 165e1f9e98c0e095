#include "monitors/top/looker.h"

#include <algorithm>

namespace eventspace::top {
namespace {

using std::chrono::steady_clock;

// Of a server that was waited for in vain a moment ago one need not wait again.
bool was_silent(const std::string& node, const View& view) {
  return std::any_of(view.missing.begin(), view.missing.end(), [&](const Missing& missing) {
    const bool said_nothing = missing.cause == MissingCause::no_answer ||
                              missing.cause == MissingCause::late || missing.cause == MissingCause::skipped;
    return said_nothing && missing.what == "server of node " + node;
  });
}

}  // namespace

Looker::Looker(std::shared_ptr<const Plan> plan, const std::string& session, ScopeTree tree,
               const HeartbeatPace::Wishes& wishes)
    : consumer_(std::move(plan), session),
      scope_(consumer_.open(std::move(tree))),
      pace_(wishes, scope_.timeout()) {}

void Looker::watch_collectives(const ScopeTree& tree) {
  collectives_ = std::make_unique<CollectiveLooker>(consumer_, tree);
}

Sample Looker::look(bool with_servers, bool with_collectives) {
  Sample sample;
  const auto begun = steady_clock::now();
  sample.view = cost_.pull(scope_, {Deadline::after(pace_.timeout()), true});
  sample.at = steady_clock::now();
  pace_.pulled(begun, sample.view);
  if (with_servers) ask_servers(sample);
  if (with_collectives && collectives_) sample.collectives = collectives_->look(pace_.timeout(), cost_);
  sample.cost = cost_.so_far();
  sample.traffic = consumer_.traffic();
  return sample;
}

void Looker::ask_servers(Sample& sample) {
  for (const NodeIndex node : consumer_.plan().nodes.indices())
    sample.servers.push_back(ask(node, sample.view));
}

ServerSample Looker::ask(NodeIndex node, const View& view) {
  constexpr std::chrono::milliseconds patience{200};
  const Plan& plan = consumer_.plan();
  const NodePlan& asked = plan.nodes[node];
  const bool has_gateway = asked.cluster && plan.clusters[*asked.cluster].gateway.value_or(node) != node;
  if (has_gateway) return {Answer::behind_gateway, {}, {}};
  if (was_silent(asked.name, view)) return {};
  const auto before = steady_clock::now();
  auto report = consumer_.ping(node, patience);
  if (!report) return {};
  return {Answer::answered, std::move(report), steady_clock::now() - before};
}

}  // namespace eventspace::top
