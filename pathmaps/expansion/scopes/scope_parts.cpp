#include "pathmaps/expansion/scopes/scope_parts.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "pathmaps/expansion/routes.h"
#include "pathmaps/expansion/selection.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::expansion {

namespace {

class PartPlanner {
 public:
  PartPlanner(ScopeTree& tree, const OwnPathsOutline& own_paths, Draft& draft)
      : tree_(tree), own_paths_(own_paths), draft_(draft), plan_(draft.plan) {}

  void plan() {
    find(tree_.root, std::nullopt);
    name_found();
    if (!check_room()) return;
    const PartIndex first = plan_.parts.end_index();
    for (const Found& found : found_) add_part(found);
    for (std::size_t i = 0; i < found_.size(); ++i) add_paths(i, first);
  }

 private:
  struct Found {
    ScopeNode* node;
    NodeIndex runner;                // its server runs the part
    std::string name;                // made from the name of that node
    std::vector<std::size_t> below;  // positions in found_ of the parts from which it pulls
  };

  /// Adds the parts in the subtree of `node` to found_, parents before their children. `above` is the part
  /// that pulls from the subtree; empty means the consumer.
  void find(ScopeNode& node, std::optional<std::size_t> above) {
    if (!node.endpoint.empty()) {
      if (above) found_[*above].below.push_back(found_.size());
      found_.push_back({&node, *plan_.find_node(node.node), node.node, {}});
      above = found_.size() - 1;
    }
    for (ScopeNode& child : node.children) find(child, above);
  }

  void name_found() {
    std::map<NodeIndex, std::size_t> count;
    std::map<NodeIndex, std::size_t> number;
    for (const Found& found : found_) ++count[found.runner];
    for (Found& found : found_) {
      if (count[found.runner] > 1) found.name += fmt::format("/{}", ++number[found.runner]);
    }
  }

  bool check_room() {
    if (plan_.parts.size() + found_.size() <= max_parts) return true;
    draft_.faults.add(own_paths_.place, fmt::format("scope '{}' has {} parts on servers; at most {} parts of "
                                                    "all scopes can have their paths recorded",
                                                    tree_.scope, found_.size(), max_parts));
    return false;
  }

  void add_part(const Found& found) {
    const PartIndex number = plan_.parts.end_index();
    ScopePartPlan part;
    part.name = fmt::format("scopes/{}/{}", tree_.scope, found.name);
    part.scope = tree_.scope;
    part.node = found.runner;
    part.thread = plan_.threads.push_back({.name = part.name, .kind = PartUser{number, part.node}});
    part.element = draft_.add_element({.name = part.name, .kind = PartElement{number}});
    draft_.place_element(part.element, part.node);
    plan_.parts.push_back(std::move(part));
  }

  /// `first` is the index of the part found_[0].
  void add_paths(std::size_t number, PartIndex first) {
    const auto part_of = [&](std::size_t n) -> ScopePartPlan& {
      return plan_.parts[PartIndex(first.number() + n)];
    };
    const Found& found = found_[number];
    ScopePartPlan& part = part_of(number);
    // Sets no peer: analyses treat the user of a path as waiting for its peer, but a part does not wait for
    // pulls.
    part.answer = add_path(path("answer", part.thread, part.element), CollectPoint::element, part.node,
                           found.node->answer_path);
    for (const std::size_t below : found.below) {
      const ScopePartPlan& asked = part_of(below);
      PathPlan ask = path("ask/" + found_[below].name, part.thread, asked.element);
      ask.peer = asked.thread;
      ask.route = route_between(plan_, part.node, asked.node);
      part.asks.push_back(
          add_path(std::move(ask), CollectPoint::thread, part.node, found_[below].node->ask_path));
    }
  }

  static PathPlan path(std::string name, ThreadIndex thread, ElementIndex element) {
    PathPlan path;
    path.name = std::move(name);
    path.thread = thread;
    path.element = element;
    return path;
  }

  /// Returns the number of the new path. Sets `recorded_on` to it if the path has an event collector.
  PathIndex add_path(PathPlan path, CollectPoint point, NodeIndex node,
                     std::optional<std::uint32_t>& recorded_on) {
    const PathIndex number = plan_.paths.end_index();
    if ((own_paths_.points & bit_of(point)) != 0) {
      path.traces.push_back(plan_.traces.end_index());
      recorded_on = number.number32();
      TracePlan trace{
          .name = fmt::format("{}/{}@{}", plan_.threads[path.thread].name, path.name, to_string(point)),
          .path = number,
          .point = point,
          .threshold = own_paths_.threshold,
          .host = node};
      check_length(trace.name);
      plan_.traces.push_back(std::move(trace));
    }
    return plan_.paths.push_back(std::move(path));
  }

  void check_length(const std::string& name) {
    constexpr std::size_t longest = segment_name_bytes - 1;
    if (name.size() <= longest) return;
    draft_.faults.add(
        own_paths_.place,
        fmt::format("the trace element '{}' of scope '{}' would have a name of {} bytes; at most "
                    "{} are allowed: give the scope, or the nodes, shorter names",
                    name, tree_.scope, name.size(), longest));
  }

  ScopeTree& tree_;
  const OwnPathsOutline& own_paths_;
  Draft& draft_;
  Plan& plan_;
  std::vector<Found> found_;
};

}  // namespace

void plan_parts(ScopeTree& tree, const OwnPathsOutline& own_paths, Draft& draft) {
  PartPlanner(tree, own_paths, draft).plan();
}

}  // namespace eventspace::expansion
