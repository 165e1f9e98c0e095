#include "monitors/collectives/collective_plan.h"

#include <unordered_map>
#include <utility>

#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

void collect_traces(const ScopeNode& node, std::set<std::size_t>& traces) {
  for (const SourceRef& source : node.sources) traces.insert(source.trace);
  for (const ScopeNode& child : node.children) collect_traces(child, traces);
}

class ShapeMaker {
 public:
  ShapeMaker(const Plan& plan, const CollectivePlan& collective, const std::set<std::size_t>& traces)
      : plan_(plan), collective_(collective), traces_(traces) {
    shape_.name = collective.name;
    for (const std::size_t joint : collective.joints) {
      numbers_.emplace(joint, shape_.joints.size());
      shape_.joint_of_number.emplace(static_cast<std::uint32_t>(joint), shape_.joints.size());
      shape_.joints.push_back({plan.joints[joint].name, node_of_joint(plan.joints[joint])});
    }
    for (const ProcessPlan& process : plan.processes)
      shape_.node_of_process.push_back(static_cast<std::uint32_t>(process.node));
    for (std::size_t node = 0; node < plan.nodes.size(); ++node)
      shape_.node_of_process.push_back(static_cast<std::uint32_t>(node));
  }

  CollectiveShape make() && {
    for (const std::size_t joint : collective_.joints) {
      for (const std::size_t path : plan_.joints[joint].children) add_edge(numbers_.at(joint), path);
    }
    return std::move(shape_);
  }

 private:
  [[nodiscard]] const std::string& node_of_joint(const JointPlan& joint) const {
    const ElementPlan& home = plan_.elements[joint.element];
    return plan_.nodes[home.node ? *home.node : plan_.processes[*home.process].node].name;
  }

  void add_edge(std::size_t joint, std::size_t path) {
    const ThreadPlan& user = plan_.threads[plan_.paths[path].thread];
    const std::size_t number = shape_.edges.size();
    CollectiveShape::Edge edge{user.name, plan_.nodes[node_of(plan_, user)].name, joint};
    if (user.joint) {
      edge.below = numbers_.at(*user.joint);
      shape_.joints[*edge.below].uplink = number;
    }
    edge.at_thread = is_recorded(path, CollectPoint::thread);
    edge.at_joint = is_recorded(path, CollectPoint::element);
    shape_.edges.push_back(std::move(edge));
    shape_.joints[joint].edges.push_back(number);
    shape_.edge_of_path.emplace(static_cast<std::uint32_t>(path), number);
  }

  [[nodiscard]] bool is_recorded(std::size_t path, CollectPoint point) const {
    for (const std::size_t trace : plan_.paths[path].traces) {
      if (plan_.traces[trace].point == point) return plan_.collect && traces_.contains(trace);
    }
    return false;
  }

  const Plan& plan_;
  const CollectivePlan& collective_;
  const std::set<std::size_t>& traces_;
  std::unordered_map<std::size_t, std::size_t> numbers_;  // of joints, from the plan's to the shape's
  CollectiveShape shape_;
};

}  // namespace

std::set<std::size_t> traces_read_by(const ScopeTree& tree) {
  std::set<std::size_t> traces;
  collect_traces(tree.root, traces);
  return traces;
}

void add_layouts(CollectiveShape& shape, std::size_t collective,
                 const std::vector<CollectiveLayout>& layouts) {
  for (const CollectiveLayout& layout : layouts) {
    if (layout.collective != collective) continue;
    CollectiveShape::Within within{layout.process, {}, 0};
    for (const CollectiveLayout::Edge& edge : layout.edges) {
      const std::size_t number = shape.edge_of_path.at(edge.path);
      if (shape.edges[number].at_thread && shape.edges[number].at_joint) within.edges.push_back(number);
      within.threads += edge.is_thread ? 1 : 0;
    }
    if (within.edges.size() == layout.edges.size()) shape.within.push_back(std::move(within));
  }
}

CollectiveShape shape_of(const Plan& plan, const CollectivePlan& collective,
                         const std::set<std::size_t>& traces) {
  return ShapeMaker(plan, collective, traces).make();
}

}  // namespace eventspace
