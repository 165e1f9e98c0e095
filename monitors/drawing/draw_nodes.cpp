#include "monitors/drawing/draw_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace eventspace {
std::string node_title(const NodePlan& node) {
  return node.port == 0 ? fmt::format("node {}  {}", node.name, node.host)
                        : fmt::format("node {}  {}:{}", node.name, node.host, node.port);
}

void draw_node(DotText& dot, const NodePlan& node, const std::function<void()>& contents,
               const DotText::Attributes& look) {
  DotText::Attributes frame{{"label", node_title(node)}, {"labeljust", "l"},   {"style", "rounded,filled"},
                            {"fillcolor", "#e8f0fa"},    {"color", "#7090b0"}, {"fontsize", "10"}};
  for (const auto& [name, value] : look) frame[name] = value;
  dot.begin_cluster("node " + node.name, frame);
  contents();
  dot.end_cluster();
}

void draw_in_clusters(DotText& dot, const Plan& plan, const std::function<void(NodeIndex)>& draw) {
  const auto draw_those_of = [&](std::optional<ClusterIndex> cluster) {
    for (const NodeIndex i : plan.nodes.indices()) {
      if (plan.nodes[i].cluster == cluster) draw(i);
    }
  };
  for (const ClusterIndex i : plan.clusters.indices()) {
    const std::string name = "cluster " + plan.clusters[i].name;
    dot.begin_cluster(name, {{"label", name},
                             {"labeljust", "r"},
                             {"fontsize", "11"},
                             {"style", "rounded,dashed"},
                             {"color", "gray50"}});
    draw_those_of(i);
    dot.end_cluster();
  }
  draw_those_of(std::nullopt);
}

std::string server_id(const Plan& plan, NodeIndex node) { return "server of " + plan.nodes[node].name; }

}  // namespace eventspace
