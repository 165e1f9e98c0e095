#include "pathmaps/networks/network_of_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include <eventspace/session_network.h>
#include "pathmaps/pathmap.h"

namespace eventspace {
namespace {

constexpr std::string_view front_end = "localhost:0";

/// Writes the tree in the explicit form, which has hosts.
class TreeWriter {
 public:
  TreeWriter(const Plan& plan, BackEnds back_ends) : plan_(&plan), back_ends_(back_ends) {
    for (const NodeIndex node : plan.nodes.indices()) names_[node] = new_name(node);
  }

  std::string text() {
    std::string below_front_end;
    for (const NodeIndex node : plan_->nodes.indices()) {
      if (parent_of(node)) continue;
      if (write(node)) below_front_end += ' ' + names_.at(node);
    }
    if (below_front_end.empty())
      throw ConfigurationError("the pathmap has no processes, so a network over it would have no back-ends");
    return fmt::format("{} =>{} ;\n{}", front_end, below_front_end, lines_);
  }

  [[nodiscard]] std::vector<std::string> processes() const { return processes_; }

 private:
  std::string new_name(NodeIndex node) {
    const std::string& host = plan_->nodes[node].host;
    std::size_t& used = used_[host];
    if (host == "localhost") used = std::max<std::size_t>(used, 1);  // 0 is the front-end
    return fmt::format("{}:{}", host, used++);
  }

  // The gateway of a node's cluster; nullopt for the gateway itself.
  [[nodiscard]] std::optional<NodeIndex> parent_of(NodeIndex node) const {
    const auto cluster = plan_->nodes[node].cluster;
    const auto gateway = cluster ? plan_->clusters[*cluster].gateway : std::nullopt;
    return gateway == node ? std::nullopt : gateway;
  }

  // Writes a node with its subtree; returns false, and writes nothing, without a back-end.
  bool write(NodeIndex node) {
    std::string children;
    if (back_ends_ == BackEnds::nodes) children += ' ' + new_name(node);
    for (const ProcessIndex process : plan_->processes.indices()) {
      if (back_ends_ != BackEnds::processes || plan_->processes[process].node != node) continue;
      children += ' ' + new_name(node);
      processes_.push_back(plan_->processes[process].name);
    }
    const std::string own = std::exchange(lines_, {});
    for (const NodeIndex other : plan_->nodes.indices()) {
      if (parent_of(other) == node && write(other)) children += ' ' + names_.at(other);
    }
    const std::string below = std::exchange(lines_, own);
    if (children.empty()) return false;
    lines_ += fmt::format("{} =>{} ;\n{}", names_.at(node), children, below);
    return true;
  }

  const Plan* plan_;
  BackEnds back_ends_;
  std::vector<std::string> processes_;       // by rank
  std::map<std::string, std::size_t> used_;  // next index, by host
  std::map<NodeIndex, std::string> names_;
  std::string lines_;
};

void add_launcher(streams::LaunchOptions& options, const NodePlan& node) {
  const auto [known, is_new] = options.launchers.try_emplace(node.host, node.launch);
  if (is_new || known->second == node.launch) return;
  throw ConfigurationError(fmt::format(
      "host {} has two different start commands: `launch` of node {} differs from that of another node there",
      node.host, node.name));
}

}  // namespace

PathmapNetwork network_of(const Plan& plan, BackEnds back_ends) {
  TreeWriter writer(plan, back_ends);
  PathmapNetwork made{streams::Topology::of_text(writer.text(), plan.name), {}, writer.processes()};
  for (const NodePlan& node : plan.nodes) add_launcher(made.options, node);
  return made;
}

PathmapNetwork network_of(const std::filesystem::path& pathmap, BackEnds back_ends) {
  return network_of(require_plan(pathmap), back_ends);
}

std::optional<RankSet::Rank> rank_of_process(const Plan& plan, ProcessIndex process) {
  try {
    const auto processes = network_of(plan, BackEnds::processes).processes;
    const auto found = std::ranges::find(processes, plan.processes[process].name);
    if (found == processes.end()) return std::nullopt;
    return static_cast<RankSet::Rank>(found - processes.begin());
  } catch (const ConfigurationError&) {
    return std::nullopt;
  }
}

}  // namespace eventspace
