#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "pathmaps/expansion/steps.h"
#include "tuplespace/trace/segment.h"

namespace eventspace::expansion {

namespace {

// A participant's path, or a joint with all branches below it.
struct Branch {
  PathIndex first;   ///< the path; for a joint, the first participant's path below it
  std::string name;  ///< of a joint; empty for a path
  const JointLevel* level{nullptr};
  std::vector<Branch> children;

  [[nodiscard]] bool is_joint() const noexcept { return level != nullptr; }
};

class JointGrower {
 public:
  JointGrower(Draft& draft, CollectiveIndex number)
      : draft_(draft),
        number_(number),
        collective_(draft.plan.collectives[number]),
        outline_(draft.collectives[number]) {}

  void grow() {
    find_participants();
    if (collective_.participants.size() < 2 || !all_placed()) return;
    find_root();
    Branch root = branch_of(0, collective_.name, collective_.participants);
    add_joint(root, std::nullopt);
  }

 private:
  // --- the participants -----------------------------------------------------------------------------

  void find_participants() {
    const auto& paths = draft_.plan.paths;
    for (const PathIndex path : paths.indices()) {
      if (paths[path].element == outline_.element) collective_.participants.push_back(path);
    }
  }

  [[nodiscard]] bool all_placed() const {
    return std::ranges::all_of(collective_.participants, [this](PathIndex path) {
      return draft_.node_of_thread(thread_of(path)).has_value();
    });
  }

  void find_root() {
    if (!has_root(collective_.kind)) return;
    collective_.root = 0;
    const auto& paths = collective_.participants;
    const auto wanted = outline_.root ? draft_.threads.find(outline_.root->text) : std::nullopt;
    const auto found = std::ranges::find(paths, wanted.value_or(thread_of(paths.front())),
                                         [this](PathIndex path) { return thread_of(path); });
    if (found != paths.end()) collective_.root = static_cast<std::size_t>(found - paths.begin());
  }

  [[nodiscard]] ThreadIndex thread_of(PathIndex path) const { return draft_.plan.paths[path].thread; }
  /// REQUIRES: all_placed(), so that the path belongs to a thread in a process.
  [[nodiscard]] ProcessIndex process_of(PathIndex path) const {
    return std::get<ApplicationThread>(draft_.plan.threads[thread_of(path)].kind).process;
  }
  [[nodiscard]] NodeIndex node_of(PathIndex path) const {
    return draft_.node_of_thread(thread_of(path)).value_or(NodeIndex(0));
  }

  // --- the shape ------------------------------------------------------------------------------------

  Branch branch_of(std::size_t depth, const std::string& name, const std::vector<PathIndex>& members) {
    const JointLevel& level = outline_.levels[depth];
    Branch joint{members.front(), name, &level, children_of(depth + 1, name, members)};
    // A joint with one child would only forward; its child takes its place. The root stays.
    if (depth > 0 && joint.children.size() == 1) return std::move(joint.children.front());
    std::size_t between = 0;
    if (level.arity) spread(joint, *level.arity, name, between);
    return joint;
  }

  std::vector<Branch> children_of(std::size_t depth, const std::string& owner,
                                  const std::vector<PathIndex>& members) {
    std::vector<Branch> children;
    if (depth == outline_.levels.size()) {
      for (const auto path : members) children.push_back(leaf(path));
      return children;
    }
    for (const auto& [group, part] : split(outline_.levels[depth], members)) {
      children.push_back(part.size() == 1 ? leaf(part.front())
                                          : branch_of(depth, fmt::format("{}/{}", owner, group), part));
    }
    return children;
  }

  static Branch leaf(PathIndex path) { return {.first = path, .name = {}, .level = nullptr, .children = {}}; }

  /// Groups `members` by the level's property. Groups are in the order of their first participants.
  std::vector<std::pair<std::string, std::vector<PathIndex>>> split(const JointLevel& level,
                                                                    const std::vector<PathIndex>& members) {
    std::vector<std::pair<std::string, std::vector<PathIndex>>> groups;
    for (const auto path : members) {
      const auto name = group_name(level, path);
      auto found = std::ranges::find(groups, name, [](const auto& group) { return group.first; });
      if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
      found->second.push_back(path);
    }
    return groups;
  }

  std::string group_name(const JointLevel& level, PathIndex path) {
    const auto& plan = draft_.plan;
    if (level.group == JointGroup::process) return plan.processes[process_of(path)].name;
    const auto& node = plan.nodes[node_of(path)];
    if (level.group == JointGroup::node) return node.name;
    if (node.cluster) return plan.clusters[*node.cluster].name;
    if (!std::exchange(has_faulty_group_, true))
      draft_.faults.add(
          level.place, fmt::format("node '{}' is not in a cluster, but collective '{}' has thread '{}' there",
                                   node.name, collective_.name, draft_.threads.name(thread_of(path))));
    return "?";
  }

  /// Inserts joints between `joint` and its children, so that none has more than `arity` children. Each
  /// inserted joint gets a contiguous run of the children; the lengths of the runs of one joint differ by at
  /// most one.
  static void spread(Branch& joint, std::size_t arity, const std::string& owner, std::size_t& count) {
    if (joint.children.size() <= arity) return;
    std::vector<Branch> below = std::move(joint.children);
    joint.children.clear();
    auto next = below.begin();
    for (std::size_t i = 1; i <= arity; ++i) {
      const auto end = below.begin() + static_cast<std::ptrdiff_t>(below.size() * i / arity);
      joint.children.push_back(end - next == 1 ? std::move(*next)
                                               : run_of({next, end}, joint, arity, owner, count));
      next = end;
    }
  }

  static Branch run_of(const std::span<Branch>& children, const Branch& joint, std::size_t arity,
                       const std::string& owner, std::size_t& count) {
    Branch run{children.front().first,
               fmt::format("{}/+{}", owner, ++count),
               joint.level,
               {std::make_move_iterator(children.begin()), std::make_move_iterator(children.end())}};
    spread(run, arity, owner, count);
    return run;
  }

  // --- the places -----------------------------------------------------------------------------------

  std::optional<Host> home_of(const Branch& joint) {
    const JointLevel& level = *joint.level;
    const auto& plan = draft_.plan;
    if (!level.on || level.on->text == "process") return process_of(joint.first);
    if (level.on->text == "server") return node_of(joint.first);
    if (level.on->text == "gateway") return home_on_gateway(level, joint);
    const auto node = plan.find_node(level.on->text);
    const auto process = plan.find_process(level.on->text);
    if (node && process) return fault(level, "both a node and a process have this name; rename one of them");
    if (node) return *node;
    if (process) return *process;
    return fault(level, "allowed: process, server, gateway, or the name of a node or a process");
  }

  std::optional<Host> home_on_gateway(const JointLevel& level, const Branch& joint) {
    if (level.group != JointGroup::cluster) return fault(level, "gateway is only for group cluster");
    const auto& plan = draft_.plan;
    const auto cluster = plan.nodes[node_of(joint.first)].cluster;
    if (!cluster) return std::nullopt;  // already a fault: see group_name
    if (const auto gateway = plan.clusters[*cluster].gateway) return *gateway;
    return fault(level, fmt::format("cluster '{}' has no gateway", plan.clusters[*cluster].name));
  }

  std::nullopt_t fault(const JointLevel& level, std::string_view why) {
    draft_.faults.add(level.on->place, fmt::format("found '{}' for 'on' of group {}; {}", level.on->text,
                                                   word_of(level.group), why));
    return std::nullopt;
  }

  static std::string_view word_of(JointGroup group) {
    return joint_group_words.at(static_cast<std::size_t>(group)).first;
  }

  // --- the plan -------------------------------------------------------------------------------------

  /// Does not add a joint whose host is unknown; home_of has reported that. `parent` is empty for the root.
  void add_joint(const Branch& branch, std::optional<JointIndex> parent) {
    const auto home = home_of(branch);
    if (!home) return;
    auto& plan = draft_.plan;
    const JointIndex number = plan.joints.push_back(
        {.name = branch.name, .collective = number_, .element = {}, .children = {}, .uplink = {}});
    collective_.joints.push_back(number);
    plan.joints[number].element = add_element(number, *home, parent.has_value());
    if (parent) add_uplink(number, *home, *parent, branch.level->place);
    for (const Branch& child : branch.children) add_child(child, number, *home, branch.level->place);
  }

  /// Returns the element of a joint. The root's element already exists, as the end of the participants'
  /// paths.
  ElementIndex add_element(JointIndex number, const Host& home, bool below) {
    auto& plan = draft_.plan;
    const ElementIndex element =
        below ? draft_.add_element({.name = plan.joints[number].name}) : outline_.element;
    plan.elements[element].kind = JointElement{number};
    draft_.place_element(element, home);
    return element;
  }

  void add_uplink(JointIndex number, const Host& home, JointIndex parent, const Place& place) {
    auto& plan = draft_.plan;
    const std::string& name = plan.joints[number].name;
    draft_.threads.add({name, place}, draft_.faults);
    draft_.thread_hosts.push_back(home);
    draft_.path_places.push_back(place);
    PathPlan path;
    path.name = outline_.path;
    path.thread = plan.threads.push_back({.name = name, .kind = JointUser{number, home}});
    path.element = plan.joints[parent].element;
    const PathIndex uplink = plan.paths.push_back(std::move(path));
    draft_.thread_paths.push_back({uplink, uplink.next()});
    plan.joints[number].uplink = uplink;
    plan.joints[parent].children.push_back(uplink);
    check_length(name, place);
  }

  void check_length(const std::string& name, const Place& place) {
    constexpr std::size_t longest = segment_name_bytes - 1;
    const std::size_t length = fmt::format("{}/{}@element", name, outline_.path).size();
    if (length <= longest) return;
    draft_.faults.add(place,
                      fmt::format("the trace elements of joint '{}' would have names of {} bytes; at most {} "
                                  "are allowed: give the collective, or its 'path', a shorter name",
                                  name, length, longest));
  }

  void add_child(const Branch& child, JointIndex parent, const Host& home, const Place& place) {
    const auto* const process = std::get_if<ProcessIndex>(&home);
    if (draft_.plan.joints[parent].uplink && process != nullptr && host_of(child) != home) {
      draft_.faults.add(
          place,
          fmt::format(
              "joint '{}' in process '{}' cannot have {} below it, which is elsewhere: a joint in a process, "
              "except the root, joins only threads and joints of that process; put this level 'on: server'",
              draft_.plan.joints[parent].name, draft_.processes.name(*process), describe(child)));
      return;
    }
    if (child.is_joint()) {
      add_joint(child, parent);
      return;
    }
    draft_.plan.paths[child.first].element = draft_.plan.joints[parent].element;
    draft_.plan.joints[parent].children.push_back(child.first);
  }

  /// Returns nothing, with a fault, for a joint whose host is unknown.
  std::optional<Host> host_of(const Branch& branch) {
    return branch.is_joint() ? home_of(branch) : process_of(branch.first);
  }

  [[nodiscard]] std::string describe(const Branch& branch) const {
    if (branch.is_joint()) return fmt::format("joint '{}'", branch.name);
    return fmt::format("thread '{}'", draft_.threads.name(thread_of(branch.first)));
  }

  Draft& draft_;
  CollectiveIndex number_;
  CollectivePlan& collective_;
  const CollectiveOutline& outline_;
  bool has_faulty_group_{false};  // set after the first fault, so that it is reported once
};

}  // namespace

void grow_joints(Draft& draft) {
  if (draft.thread_hosts.size() != draft.plan.threads.size()) return;
  for (const CollectiveIndex i : draft.collectives.indices()) JointGrower(draft, i).grow();
}

}  // namespace eventspace::expansion
