#include "monitors/drawing/draw_threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "monitors/drawing/draw_nodes.h"
#include "monitors/drawing/path_letters.h"
#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"
#include "pathmaps/plan/match.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

// The name up to the last slash: paths such as send/n and send/s are alike.
std::string stem_of(const std::string& name) { return name.substr(0, name.rfind('/')); }

/// The paths of the application that a picture shows: the paths of the chosen threads, and the paths of the
/// threads at the other end. The paths of scopes come after them in the plan and have separate pictures.
std::vector<PathIndex> chosen_paths(const Plan& plan, const std::string& only) {
  constexpr std::size_t max_users =
      4;  // an element with more users does not have a single other end, but is a meeting point of many
  std::map<std::uint32_t, std::vector<PathIndex>> users;
  std::set<std::uint32_t> used;
  const std::size_t count = plan.path_count();
  for (const PathIndex path : plan.paths.indices()) {
    if (path.number32() >= count) break;
    const std::uint32_t element = plan.paths[path].element.number32();
    users[element].push_back(path);
    if (only.empty() || glob_match(only, plan.threads[plan.paths[path].thread].name)) used.insert(element);
  }
  std::vector<PathIndex> chosen;
  for (const auto& [element, paths] : users) {
    if (!used.contains(element)) continue;
    for (const PathIndex path : paths) {
      const bool is_own = only.empty() || glob_match(only, plan.threads[plan.paths[path].thread].name);
      if (is_own || paths.size() <= max_users) chosen.push_back(path);
    }
  }
  return chosen;
}

/// A box for a thread or an element, or for several that are alike.
struct Box {
  PathsBox shown;
  DotText::Attributes look;
  const char* noun;
  std::vector<std::string> names;
};

class ThreadsDrawing {
 public:
  ThreadsDrawing(const Plan& plan, const PathsView& view)
      : plan_(plan),
        are_grouped_(view.detail == ThreadDetail::grouped),
        room_(view.room),
        paths_(chosen_paths(plan, view.only)) {
    for (const PathIndex path : paths_) {
      uses_of_thread_[plan_.paths[path].thread.number32()].insert(use_of(path));
      uses_of_element_[plan_.paths[path].element.number32()].insert(use_of(path));
    }
    for (const PathIndex path : paths_) connect(path);
  }

  PathsPicture draw() {
    for (const auto& [ends, paths] : arrows_) letters_.add(names_of(paths));
    for (Box& box : boxes_) box.shown.lines = lines_of(box);
    dot_.emplace(DotText::Heading{"paths of " + plan_.name, letters_.key()}, DotText::Growth::right);
    draw_in_clusters(*dot_, plan_, [this](NodeIndex node) { draw_on(node); });
    PathsPicture picture{.key = letters_.key()};
    for (const auto& [ends, paths] : arrows_) picture.arrows.push_back(draw_arrow(ends, paths));
    for (Box& box : boxes_) picture.boxes.push_back(std::move(box.shown));
    picture.dot = dot_->text();
    return picture;
  }

 private:
  struct Ends {
    std::string from, to;
    bool both_ways{false};
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null pointer in it
    friend auto operator<=>(const Ends&, const Ends&) = default;
  };

  [[nodiscard]] std::string use_of(PathIndex path) const {
    return fmt::format("{} {}", static_cast<int>(plan_.paths[path].use), stem_of(plan_.paths[path].name));
  }

  void connect(PathIndex path) {
    const PathPlan& plan = plan_.paths[path];
    const std::string thread = thread_box(plan.thread);
    const std::string element = element_box(plan.element);
    const bool reads = plan.use == PathUse::read;
    arrows_[{reads ? element : thread, reads ? thread : element, plan.use == PathUse::any}].push_back(path);
  }
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<PathIndex>& paths) const {
    std::set<std::string> names;
    for (const PathIndex path : paths) names.insert(plan_.paths[path].name);
    return {names.begin(), names.end()};
  }

  std::string thread_box(ThreadIndex thread) {
    const ThreadPlan& user = plan_.threads[thread];
    const char* const noun = match(
        user.kind, [](const ApplicationThread&) { return "thread"; },
        [](const JointUser&) { return "joint"; },  // the uplink of the joint
        [](const PartUser&) { return "part"; });
    Box& box = box_of(noun, user.name, user.host(), uses_of_thread_[thread.number32()], {});
    if (user.is_thread()) add_once(box.shown.threads, thread);
    return box.shown.id;
  }

  std::string element_box(ElementIndex element) {
    const ElementPlan& end = plan_.elements[element];
    const char* const noun = match(
        end.kind, [](const TupleElement&) { return "element"; }, [](const JointElement&) { return "joint"; },
        [](const PartElement&) { return "part"; });
    Box& box = box_of(noun, end.name, end.host, uses_of_element_[element.number32()],
                      {{"fillcolor", end.joint() ? "#e3f0dc" : "#fff4d6"}});
    add_once(box.shown.elements, element);
    return box.shown.id;
  }
  // Paths come thread by thread, but elements in any order.
  template <class Part>
  static void add_once(std::vector<Index<Part>>& parts, Index<Part> part) {
    const auto place = std::ranges::lower_bound(parts, part);
    if (place == parts.end() || *place != part) parts.insert(place, part);
  }

  // The box for a thread or element. A joint is one box, whether it is the end of a path or its thread.
  Box& box_of(const char* noun, const std::string& name, const Host& host, const std::set<std::string>& uses,
              const DotText::Attributes& look) {
    const std::string own = fmt::format("{} {}", noun, name);
    if (const auto known = box_of_name_.find(own); known != box_of_name_.end()) {
      if (!look.empty()) boxes_[known->second].look = look;
      return boxes_[known->second];
    }
    const std::string kind =
        are_grouped_ && noun != std::string_view("joint")
            ? fmt::format("{} {} {} {}", noun, host.index(), number_of(host), fmt::join(uses, " "))
            : own;
    const auto [place, is_new] = box_of_kind_.emplace(kind, boxes_.size());
    if (is_new) boxes_.push_back({{.id = own, .host = host}, look, noun, {}});
    boxes_[place->second].names.push_back(name);
    box_of_name_.emplace(own, place->second);
    return boxes_[place->second];
  }
  static std::uint32_t number_of(const Host& host) {
    return match(
        host, [](const ProcessIndex& process) { return process.number32(); },
        [](const NodeIndex& node) { return node.number32(); });
  }

  void draw_on(NodeIndex node) {
    if (!has_boxes(Host(node)) && !has_boxes_of_process(node)) return;
    // Titles at the right: arrows from process to process run at the left, where the threads are.
    const auto contents = [&] {
      for (const ProcessIndex process : plan_.processes.indices()) {
        if (plan_.processes[process].node == node && has_boxes(Host(process))) draw_process(process);
      }
      draw_boxes(Host(node));
    };
    draw_node(*dot_, plan_.nodes[node], contents, {{"labeljust", "r"}});
  }
  void draw_process(ProcessIndex process) {
    const std::string title = "process " + plan_.processes[process].name;
    dot_->begin_cluster(title, {{"label", title},
                                {"labeljust", "r"},
                                {"fontsize", "10"},
                                {"style", "rounded,filled"},
                                {"fillcolor", "white"}});
    draw_boxes(Host(process));
    dot_->end_cluster();
  }
  [[nodiscard]] bool has_boxes(const Host& host) const {
    return std::ranges::any_of(boxes_, [&](const Box& box) { return box.shown.host == host; });
  }
  [[nodiscard]] bool has_boxes_of_process(NodeIndex node) const {
    return std::ranges::any_of(plan_.processes.indices(), [&](ProcessIndex process) {
      return plan_.processes[process].node == node && has_boxes(Host(process));
    });
  }

  void draw_boxes(const Host& host) {
    for (const Box& box : boxes_) {
      if (box.shown.host != host) continue;
      DotText::Attributes look = box.look;
      look["label"] = dot_label(with_room(box.shown.lines));
      dot_->node(box.shown.id, look);
    }
  }

  [[nodiscard]] std::vector<std::string> with_room(std::vector<std::string> lines) const {
    if (!room_.empty()) lines.push_back(room_);
    return lines;
  }

  // "t1", or "34 threads:", "t1..t34"; elements have many different names, so their common stem is shown.
  static std::vector<std::string> lines_of(const Box& box) {
    if (box.names.size() == 1) return box.names;
    constexpr std::size_t widest = 30;
    std::string names = collapse_numbered(box.names);
    if (names.size() > widest) names = box.names.front() + " .. " + box.names.back();
    return {counted(box.names.size(), box.noun) + ":", names};
  }

  PathsArrow draw_arrow(const Ends& ends, const std::vector<PathIndex>& paths) {
    const std::vector<std::string> names = names_of(paths);
    std::string label = letters_.text_of(names);
    if (paths.size() > names.size()) label = fmt::format("{} ({})", counted(paths.size(), "path"), label);
    dot_->edge(ends.from, ends.to,
               {{"label", dot_label(with_room({label}))}, {"dir", ends.both_ways ? "both" : "forward"}});
    return {ends.from, ends.to, ends.both_ways, label, paths};
  }

  const Plan& plan_;
  const bool are_grouped_;
  const std::string room_;
  const std::vector<PathIndex> paths_;
  std::map<std::uint32_t, std::set<std::string>> uses_of_thread_, uses_of_element_;
  std::vector<Box> boxes_;
  std::map<std::string, std::size_t> box_of_name_, box_of_kind_;
  std::map<Ends, std::vector<PathIndex>> arrows_;
  PathLetters letters_;
  std::optional<DotText> dot_;
};

}  // namespace

PathsPicture draw_threads(const Plan& plan, const PathsView& view) {
  return ThreadsDrawing(plan, view).draw();
}

std::size_t count_single_paths(const Plan& plan, const PathsView& view) {
  return view.detail == ThreadDetail::all ? chosen_paths(plan, view.only).size() : 0;
}

}  // namespace eventspace
