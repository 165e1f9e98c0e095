#include "monitors/drawing/draw_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace eventspace {
namespace {

void draw_node(DotText& dot, const NodePlan& node, const std::function<void()>& contents) {
  const std::string label = node.port == 0 ? fmt::format("node {}  {}", node.name, node.host)
                                           : fmt::format("node {}  {}:{}", node.name, node.host, node.port);
  dot.begin_cluster("node " + node.name, {{"label", label},
                                          {"style", "rounded,filled"},
                                          {"fillcolor", "#e8f0fa"},
                                          {"color", "#7090b0"},
                                          {"fontsize", "11"}});
  contents();
  dot.end_cluster();
}

}  // namespace

void draw_nodes(DotText& dot, const Plan& plan, const std::function<bool(NodeIndex)>& used,
                const std::function<void(NodeIndex)>& contents) {
  const auto draw_those_of = [&](std::optional<ClusterIndex> cluster) {
    for (const NodeIndex i : plan.nodes.indices()) {
      if (plan.nodes[i].cluster == cluster && used(i)) draw_node(dot, plan.nodes[i], [&] { contents(i); });
    }
  };
  for (const ClusterIndex i : plan.clusters.indices()) {
    const std::string name = "cluster " + plan.clusters[i].name;
    dot.begin_cluster(name, {{"label", name}, {"style", "rounded,dashed"}, {"color", "gray50"}});
    draw_those_of(i);
    dot.end_cluster();
  }
  draw_those_of(std::nullopt);
}

std::string server_id(const Plan& plan, NodeIndex node) { return "server of " + plan.nodes[node].name; }

}  // namespace eventspace
