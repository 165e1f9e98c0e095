#include "pathmaps/expansion/home.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pathmaps/reading/mapping.h"
#include "tuplespace/shared/shared_element.h"

namespace eventspace::expansion {

using reading::Mapping;

namespace {

constexpr std::array<std::pair<std::string_view, PathUse>, 2> with_words{
    {{"reader", PathUse::read}, {"writer", PathUse::write}}};

class Homes {
 public:
  explicit Homes(Draft& draft)
      : draft_(draft), placed_(draft.elements.size(), false), shared_(draft.elements.size()) {}

  void apply(const reading::Value& value) {
    const Mapping rule(&value, reading::element_rule_shape, draft_.faults);
    const auto globs = rule.words("elements");
    const auto elements = draft_.elements.select(globs, draft_.faults);
    for (const auto element : elements) placed_[element] = true;
    if (!check_one_home(rule)) return;
    share(elements, rule);
    if (const auto use = rule.choice("with", with_words)) beside(elements, *use, rule.place("with"));
    if (const auto process = rule.word("process")) in_process(elements, *process);
    if (const auto node = rule.word("node")) on_node(elements, *node);
  }

  void check_shared() const {
    std::map<Place, std::vector<PathIndex>> beyond;  // paths from other nodes to shared elements
    for (const PathIndex path : draft_.plan.paths.indices()) {
      const auto element = draft_.plan.paths[path].element;
      if (shared_.has(element) && shared_[element] && !is_on_its_node(path))
        beyond[*shared_[element]].push_back(path);
    }
    for (const auto& [place, paths] : beyond) report_beyond(place, paths);
  }

  void apply_default() {
    std::map<Place, std::vector<ElementIndex>> homeless;
    for (const ElementIndex element : placed_.indices()) {
      if (placed_[element]) continue;
      const auto user = first_user(element, PathUse::any);
      if (user) move_beside(element, *user);
      if (!user) homeless[draft_.elements.place(element)].push_back(element);
    }
    for (const auto& [place, elements] : homeless) report_homeless(place, elements);
  }

 private:
  bool check_one_home(const Mapping& rule) {
    int homes = 0;
    for (const auto* key : {"with", "process", "node"}) homes += rule.find(key) != nullptr ? 1 : 0;
    if (homes == 1) return true;
    draft_.faults.add(
        rule.place(),
        fmt::format("found {} of 'with', 'process' and 'node' in element_rule; expected one", homes));
    return false;
  }

  /// The last rule that matches an element decides. If that rule has no `shared`, the element is not shared.
  void share(const std::vector<ElementIndex>& elements, const Mapping& rule) {
    const auto room = rule.bytes("shared", {SharedElement::min_room, SharedElement::max_room});
    if (room && rule.find("node") != nullptr) {
      draft_.faults.add(rule.place("shared"),
                        "an element on the server of a node cannot be shared; place it in a process");
      return;
    }
    for (const auto element : elements) {
      std::get<TupleElement>(draft_.plan.elements[element].kind).room = room;
      shared_[element] = room ? std::optional(rule.place("shared")) : std::nullopt;
    }
  }

  /// Also returns true if a fault, reported before, left either node unknown.
  [[nodiscard]] bool is_on_its_node(PathIndex path) const {
    const auto& used = draft_.plan.paths[path];
    const auto home = draft_.node_of_element(used.element);
    const auto user = draft_.node_of_thread(used.thread);
    return !home || !user || *home == *user;
  }

  void report_beyond(const Place& place, const std::vector<PathIndex>& paths) const {
    const auto& path = draft_.plan.paths[paths.front()];
    const auto home = std::get<ProcessIndex>(*draft_.element_hosts[path.element]);
    const auto user = std::get<ProcessIndex>(*draft_.thread_hosts[path.thread]);
    const auto others = paths.size() == 1 ? ""
                                          : fmt::format(" (and {} more path{})", paths.size() - 1,
                                                        paths.size() == 2 ? "" : "s");
    draft_.faults.add(
        place,
        fmt::format(
            "element '{}' of process '{}' on node '{}' is shared, but thread '{}' of process '{}' on node "
            "'{}' uses it{}; only processes of one node can share memory",
            draft_.elements.name(path.element), draft_.processes.name(home), node_name(home),
            draft_.threads.name(path.thread), draft_.processes.name(user), node_name(user), others));
  }

  [[nodiscard]] const std::string& node_name(ProcessIndex process) const {
    return draft_.nodes.name(*draft_.process_nodes[process]);
  }

  void beside(const std::vector<ElementIndex>& elements, PathUse use, const Place& place) {
    for (const auto element : elements) {
      const auto user = first_user(element, use);
      if (user) {
        move_beside(element, *user);
        continue;
      }
      draft_.faults.add(place, fmt::format("no path is known to {0} element '{1}'; add 'use: {0}' to one",
                                           to_string(use), draft_.elements.name(element)));
      return;
    }
  }

  void in_process(const std::vector<ElementIndex>& elements, const Word& name) {
    const auto process = draft_.processes.require(name, draft_.faults);
    for (const auto element : elements) draft_.place_element(element, process);
  }

  void on_node(const std::vector<ElementIndex>& elements, const Word& name) {
    const auto node = draft_.nodes.require(name, draft_.faults);
    for (const auto element : elements) draft_.place_element(element, node);
  }

  [[nodiscard]] std::optional<PathIndex> first_user(ElementIndex element, PathUse use) const {
    const auto& users = draft_.users[element];
    const auto found = std::ranges::find_if(
        users, [&](PathIndex path) { return use == PathUse::any || draft_.plan.paths[path].use == use; });
    if (found == users.end()) return std::nullopt;
    return *found;
  }

  void move_beside(ElementIndex element, PathIndex path) {
    draft_.place_element(element, draft_.thread_hosts[draft_.plan.paths[path].thread]);
  }

  void report_homeless(const Place& place, const std::vector<ElementIndex>& elements) {
    const auto others = elements.size() == 1 ? "" : fmt::format(" (and {} more)", elements.size() - 1);
    draft_.faults.add(
        place,
        fmt::format(
            "element '{}'{} has no placement: no path uses it, and placement: elements: does not name it",
            draft_.elements.name(elements.front()), others));
  }

  Draft& draft_;
  // Both have entries for elements only. Joints, which follow the elements in the plan, are placed by
  // grow_joints.
  IndexedVector<ElementPlan, bool> placed_;  ///< a rule matches it, even if the rule has a fault
  IndexedVector<ElementPlan, std::optional<Place>> shared_;  ///< the place of its `shared:`, if shared
};

}  // namespace

void place_elements(std::span<const reading::Value* const> rules, Draft& draft) {
  Homes homes(draft);
  for (const auto* rule : rules) homes.apply(*rule);
  homes.apply_default();
  homes.check_shared();
}

}  // namespace eventspace::expansion
