#include "monitors/collectives/collective_plan.h"

#include <unordered_map>
#include <utility>

#include "pathmaps/plan/plan_names.h"

namespace eventspace {
namespace {

void collect_traces(const ScopeNode& node, std::set<TraceIndex>& traces) {
  for (const SourceRef& source : node.sources) traces.insert(TraceIndex(source.trace));
  for (const ScopeNode& child : node.children) collect_traces(child, traces);
}

class ShapeMaker {
 public:
  ShapeMaker(const Plan& plan, const CollectivePlan& collective, const std::set<TraceIndex>& traces)
      : plan_(plan), collective_(collective), traces_(traces) {
    shape_.name = collective.name;
    shape_.operation = to_string(collective.kind);
    for (const JointIndex joint : collective.joints) {
      numbers_.emplace(joint, shape_.joints.size());
      shape_.joint_of_number.emplace(joint.number32(), shape_.joints.size());
      shape_.joints.push_back({plan.joints[joint].name, node_of_joint(plan.joints[joint])});
    }
    for (const ProcessPlan& process : plan.processes)
      shape_.node_of_process.push_back(process.node.number32());
    for (const NodeIndex node : plan.nodes.indices()) shape_.node_of_process.push_back(node.number32());
  }

  CollectiveShape make() && {
    for (const JointIndex joint : collective_.joints) {
      for (const PathIndex path : plan_.joints[joint].children) add_edge(numbers_.at(joint), path);
    }
    return std::move(shape_);
  }

 private:
  [[nodiscard]] const std::string& node_of_joint(const JointPlan& joint) const {
    return plan_.nodes[plan_.node_of(plan_.elements[joint.element].host)].name;
  }

  void add_edge(std::size_t joint, PathIndex path) {
    const ThreadPlan& user = plan_.threads[plan_.paths[path].thread];
    const std::size_t number = shape_.edges.size();
    CollectiveShape::Edge edge{user.name, plan_.nodes[plan_.node_of(user.host())].name, joint};
    if (const auto below = user.joint()) {
      edge.below = numbers_.at(*below);
      shape_.joints[*edge.below].uplink = number;
    }
    edge.at_thread = is_recorded(path, CollectPoint::thread);
    edge.at_joint = is_recorded(path, CollectPoint::element);
    shape_.edges.push_back(std::move(edge));
    shape_.joints[joint].edges.push_back(number);
    shape_.edge_of_path.emplace(path.number32(), number);
  }

  [[nodiscard]] bool is_recorded(PathIndex path, CollectPoint point) const {
    const std::optional<TraceIndex> trace = plan_.trace_at(path, point);
    return trace && plan_.collect && traces_.contains(*trace);
  }

  const Plan& plan_;
  const CollectivePlan& collective_;
  const std::set<TraceIndex>& traces_;
  std::unordered_map<JointIndex, std::size_t> numbers_;  // the index of each joint in the shape
  CollectiveShape shape_;
};

}  // namespace

std::set<TraceIndex> traces_read_by(const ScopeTree& tree) {
  std::set<TraceIndex> traces;
  collect_traces(tree.root, traces);
  return traces;
}

void add_layouts(CollectiveShape& shape, CollectiveIndex collective,
                 const std::vector<CollectiveLayout>& layouts) {
  for (const CollectiveLayout& layout : layouts) {
    if (CollectiveIndex(layout.collective) != collective) continue;
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
                         const std::set<TraceIndex>& traces) {
  return ShapeMaker(plan, collective, traces).make();
}

}  // namespace eventspace
