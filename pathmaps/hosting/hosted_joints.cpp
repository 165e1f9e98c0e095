#include "pathmaps/hosting/hosted_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "paths/links/link_pool.h"

namespace eventspace {
namespace {

// Sends the messages that are queued, such as the abort of a collective. Gives up after the grace time, so
// that a peer that hangs cannot block the caller.
void flush(LinkPool& links, const Network& network) {
  const Deadline until = Deadline::after(network.limits().answer_grace);
  while (links.has_unsent() && !until.passed() && !network.is_closed()) links.wait(until);
}

}  // namespace

HostedJoints::HostedJoints(const Plan& plan, const Host& host, Network* network, MakePath make_path)
    : plan_(&plan), network_(network), make_path_(std::move(make_path)) {
  for (const JointIndex i : plan.joints.indices()) {
    const JointPlan& joint = plan.joints[i];
    if (plan.elements[joint.element].host != host) continue;
    std::optional<Uplink> uplink;
    if (joint.uplink) uplink = network != nullptr ? uplink_of(*joint.uplink) : uplink_of_loop(*joint.uplink);
    auto& made = joints_[i] = std::make_unique<Joint>(config_of(joint), std::move(uplink));
    if (joint.uplink && network == nullptr) driven_.push_back(made.get());
  }
}

HostedJoints::~HostedJoints() = default;

JointConfig HostedJoints::config_of(const JointPlan& joint) const {
  const CollectivePlan& collective = plan_->collectives[joint.collective];
  JointConfig config;
  config.name = joint.name;
  config.kind = collective.kind;
  config.signature = collective.signature;
  config.participants = collective.participants.size();
  if (collective.root) config.root = static_cast<std::uint32_t>(*collective.root);
  for (const std::string& name : collective.combine) {
    const CombineInfo* const info = CombineRegistry::instance().find(name);
    if (info == nullptr) throw ConfigurationError(fmt::format("unknown way to combine '{}'", name));
    config.combine.push_back(info);
  }
  for (const PathIndex path : joint.children) config.children.push_back(child_of(collective, path));
  return config;
}

JointChild HostedJoints::child_of(const CollectivePlan& collective, PathIndex path) const {
  const ThreadPlan& thread = plan_->threads[plan_->paths[path].thread];
  JointChild child{thread.name, thread.joint().has_value(), {}};
  add_participants(collective, path, child.participants);
  std::ranges::sort(child.participants);
  return child;
}

void HostedJoints::add_participants(const CollectivePlan& collective, PathIndex path,
                                    std::vector<std::uint32_t>& participants) const {
  if (const auto joint = plan_->threads[plan_->paths[path].thread].joint()) {
    for (const PathIndex below : plan_->joints[*joint].children)
      add_participants(collective, below, participants);
    return;
  }
  // lower_bound: CollectivePlan::participants is sorted, because it is in the order of the threads, as paths
  // are.
  const auto& all = collective.participants;
  participants.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(all, path) - all.begin()));
}

Uplink HostedJoints::uplink_of(PathIndex path) {
  // Shared by both functions; lives as long as either.
  auto links = std::make_shared<LinkPool>(*network_);
  Uplink uplink;
  uplink.make = [this, path, links] { return make_path_(path, *links); };
  uplink.flush = [this, links] { eventspace::flush(*links, *network_); };
  return uplink;
}

Uplink HostedJoints::uplink_of_loop(PathIndex path) {
  Uplink uplink;
  uplink.make = [this, path] {
    if (loop_links_ == nullptr) throw ConfigurationError("the server has ended");
    return make_path_(path, *loop_links_);
  };
  uplink.call_loop = [this] { call_(); };
  uplink.grace = NetworkLimits{}.answer_grace;
  return uplink;
}

std::unique_ptr<Stage> HostedJoints::make_end(PathIndex path) {
  const std::optional<JointIndex> number = plan_->end_of(path).joint();
  const auto found = number ? joints_.find(*number) : joints_.end();
  if (found == joints_.end())
    throw ConfigurationError(
        fmt::format("path number {} does not lead to a joint that is hosted here", path.number()));
  const auto& children = plan_->joints[*number].children;
  const auto child = static_cast<std::size_t>(std::ranges::find(children, path) - children.begin());
  return std::make_unique<JointStage>(*found->second, child);
}

void HostedJoints::close() {
  for (const auto& [number, joint] : joints_) joint->close();
}

void HostedJoints::begin(LinkPool& links, std::function<void()> call) {
  loop_links_ = &links;
  call_ = std::move(call);
}

void HostedJoints::attend() {
  for (Joint* const joint : driven_) joint->drive();
}

Deadline HostedJoints::due() {
  Deadline due = Deadline::never();
  for (Joint* const joint : driven_) due = earlier(due, joint->due());
  return due;
}

void HostedJoints::end() {
  for (Joint* const joint : driven_) joint->end();
  loop_links_ = nullptr;
}

}  // namespace eventspace
