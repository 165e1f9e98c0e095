#include "monitors/top/looker.h"

#include <algorithm>
#include <utility>

#include "scopes/streams/attaching/network_file.h"

namespace eventspace::top {
namespace {

using std::chrono::steady_clock;

// Less than a second, or a network with a silent process would delay verdicts; such a network is reported
// later.
constexpr std::chrono::milliseconds networks_answer_within{400};

// True when the server did not answer the pull of this sample; a ping would wait for it again.
bool was_silent(const std::string& node, const View& view) {
  return std::any_of(view.missing.begin(), view.missing.end(), [&](const Missing& missing) {
    const bool said_nothing = missing.cause == MissingCause::no_answer ||
                              missing.cause == MissingCause::late || missing.cause == MissingCause::skipped;
    return said_nothing && missing.what == "server of node " + node;
  });
}

}  // namespace

Looker::Looker(Consumer consumer, ScopeTree tree, const std::string& threads,
               const HeartbeatPace::Wishes& wishes, const Timeline& timeline)
    : consumer_(std::move(consumer)),
      views_(consumer_.open(std::move(tree)), threads, consumer_.names()),
      pulls_(timeline, consumer_.names()),
      pace_(wishes, views_.scope().timeout()) {}

void Looker::watch_collectives(const ScopeTree& tree) {
  collectives_ = std::make_unique<CollectiveLooker>(consumer_, tree);
}

void Looker::look_at_delays(Sample& sample) {
  constexpr std::chrono::milliseconds patience{250};  // the screen waits for it
  if (delays_ == nullptr) return;
  delays_->look(sample.at, Deadline::after(patience));
  sample.delays = delays_->report();
}

Sample Looker::look(Also also) {
  Sample sample;
  const Timeline::Time begun = pulls_.now();
  sample.view = pulls_.pull(views_, {.deadline = Deadline::after(pace_.timeout()), .with_threads = true});
  sample.at = pulls_.now();
  pace_.pulled(begun, sample.view);
  look_at_delays(sample);
  if (also.servers) ask_servers(sample);
  if (also.collectives && collectives_) sample.collectives = collectives_->look(pace_.timeout(), pulls_);
  if (also.streams) ask_networks_of_streams(sample);
  sample.cost = pulls_.cost().so_far();
  sample.traffic = consumer_.traffic();
  return sample;
}

void Looker::ask_networks_of_streams(Sample& sample) {
  const auto asked = steady_clock::now();
  sample.networks = NetworksSample{
      ask_networks(streams::NetworkFile::find(), Deadline::after(networks_answer_within)), asked};
}

// A session without a pathmap is read without servers.
void Looker::ask_servers(Sample& sample) {
  if (!consumer_.plan().has_pathmap) return;
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
  const auto before = steady_clock::now();  // a round trip is real on any timeline
  auto report = consumer_.ping(node, patience);
  if (!report) return {};
  return {Answer::answered, std::move(report), steady_clock::now() - before};
}

}  // namespace eventspace::top
