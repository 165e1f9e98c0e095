#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "monitors/drawing/draw_nodes.h"
#include "monitors/drawing/draw_threads.h"
#include "monitors/drawing/drawing.h"
#include "monitors/drawing/path_letters.h"
#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"
#include "pathmaps/plan/match.h"

namespace eventspace {
namespace {

constexpr std::size_t label_width = 26;

// Breaks a long list of names into lines for a label.
std::vector<std::string> wrapped(const std::string& text) {
  std::vector<std::string> lines(1);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(", ", start), text.size());
    std::string part = text.substr(start, end - start) + (end < text.size() ? "," : "");
    if (!lines.back().empty() && lines.back().size() + part.size() + 1 > label_width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + part;
    start = end + 2;
  }
  return lines;
}

/// The paths from one box of the picture to another.
struct Bundle {
  std::vector<PathIndex> paths;
  std::set<std::string> names;
};
using Ends = std::pair<std::string, std::string>;

/// Boxes are processes. A node with one box is that box, with the node's title on it: an arrow cannot cross a
/// title that belongs to the box at which it ends.
class PathsDrawing {
 public:
  PathsDrawing(const Plan& plan, const std::string& room) : plan_(plan), room_(room) { bundle(); }

  PathsPicture draw() {
    for (const auto& [ends, bundle] : bundles_) {
      if (ends.first != ends.second) letters_.add({bundle.names.begin(), bundle.names.end()});
    }
    dot_.emplace(DotText::Heading{"paths of " + plan_.name, letters_.key()}, DotText::Growth::down,
                 DotText::Attributes{{"nodesep", "0.3"}});
    draw_in_clusters(*dot_, plan_, [this](NodeIndex node) { draw_on(node); });
    draw_bundles();
    picture_.key = letters_.key();
    picture_.dot = dot_->text();
    return std::move(picture_);
  }

 private:
  [[nodiscard]] std::string process_id(ProcessIndex process) const {
    return "process " + plan_.processes[process].name;
  }
  [[nodiscard]] std::string host_id(const Host& host) const {
    return match(
        host, [this](const ProcessIndex& process) { return process_id(process); },
        [this](const NodeIndex& node) { return server_id(plan_, node); });
  }

  // Adds each path hop by hop, from its thread over the gateways to the host, in the direction of the tuples.
  // The paths of scopes come after those of the application in the plan and have separate pictures.
  void bundle() {
    for (const PathIndex index : plan_.paths.indices()) {
      if (index.number() >= plan_.path_count()) break;
      const PathPlan& path = plan_.paths[index];
      std::vector<std::string> stops{host_id(plan_.threads[path.thread].host())};
      for (const NodeIndex gateway : path.route) stops.push_back(server_id(plan_, gateway));
      stops.push_back(host_id(plan_.elements[path.element].host));
      if (path.use == PathUse::read) std::reverse(stops.begin(), stops.end());
      for (std::size_t i = 1; i < stops.size(); ++i) add(stops[i - 1], stops[i], index);
    }
  }

  void add(const std::string& from, const std::string& to, PathIndex path) {
    Bundle& bundle = bundles_[{from, to}];
    bundle.paths.push_back(path);
    bundle.names.insert(plan_.paths[path].name);
  }

  void draw_on(NodeIndex node) {
    std::vector<PathsBox> boxes = boxes_on(node);
    if (boxes.size() == 1) {
      PathsBox& box = boxes.front();
      box.title = node_title(plan_.nodes[node]);
      dot_->titled_box(box.id, {.title = box.title, .lines = with_room(box.lines), .fill = fill_of(box)});
    } else {
      draw_node(*dot_, plan_.nodes[node], [&] {
        for (const PathsBox& box : boxes)
          dot_->node(box.id, {{"label", dot_label(with_room(box.lines))}, {"fillcolor", fill_of(box)}});
      });
    }
    for (PathsBox& box : boxes) picture_.boxes.push_back(std::move(box));
  }
  static std::string fill_of(const PathsBox& box) {
    return std::holds_alternative<NodeIndex>(box.host) ? "#fff4d6" : "white";
  }
  [[nodiscard]] std::vector<std::string> with_room(std::vector<std::string> lines) const {
    if (!room_.empty()) lines.push_back(room_);
    return lines;
  }

  // The server is left out if it is not involved in paths, unless it is the only box.
  [[nodiscard]] std::vector<PathsBox> boxes_on(NodeIndex node) const {
    std::vector<PathsBox> boxes;
    for (const ProcessIndex i : plan_.processes.indices()) {
      if (plan_.processes[i].node == node) boxes.push_back(box_of(process_id(i), Host(i), process_lines(i)));
    }
    std::vector<std::string> server = server_lines(node);
    if (boxes.empty() || server.size() > 1)
      boxes.push_back(box_of(server_id(plan_, node), Host(node), std::move(server)));
    return boxes;
  }
  [[nodiscard]] PathsBox box_of(const std::string& id, const Host& host,
                                std::vector<std::string> lines) const {
    PathsBox box{.id = id, .host = host, .lines = std::move(lines)};
    for (const ThreadIndex i : plan_.threads.indices())
      if (plan_.threads[i].is_thread() && plan_.threads[i].host() == host) box.threads.push_back(i);
    for (const ElementIndex i : plan_.elements.indices())
      if (!plan_.elements[i].part() && plan_.elements[i].host == host) box.elements.push_back(i);
    return box;
  }

  [[nodiscard]] std::vector<std::string> server_lines(NodeIndex node) const {
    const auto is_here = [node](const ElementPlan& element) { return element.host == Host(node); };
    std::vector<std::string> lines{"server"};
    if (const auto elements = count_elements(is_here); elements > 0)
      lines.push_back(counted(elements, "element"));
    add_joints(is_here, lines);
    if (is_gateway(node)) lines.emplace_back("gateway");
    return lines;
  }

  [[nodiscard]] bool is_gateway(NodeIndex node) const {
    return std::any_of(plan_.clusters.begin(), plan_.clusters.end(),
                       [node](const ClusterPlan& cluster) { return cluster.gateway == node; });
  }

  [[nodiscard]] std::vector<std::string> process_lines(ProcessIndex process) const {
    const ProcessPlan& planned = plan_.processes[process];
    std::vector<std::string> threads;
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.is_thread_of(process)) threads.push_back(thread.name);
    }
    std::vector<std::string> lines{
        planned.port == 0 ? planned.name : fmt::format("{}  port {}", planned.name, planned.port)};
    add_named(threads, "thread", lines);
    const auto is_here = [process](const ElementPlan& element) { return element.host == Host(process); };
    lines.push_back(counted(count_elements(is_here), "element") + shared_text(process));
    lines.push_back(counted(count_traces(process), "trace element"));
    add_joints(is_here, lines);
    const std::string self = process_id(process);
    if (const auto own = bundles_.find({self, self}); own != bundles_.end()) {
      lines.push_back(counted(own->second.paths.size(), "internal path"));
    }
    return lines;
  }

  template <class Predicate>
  [[nodiscard]] std::size_t count_elements(Predicate is_here) const {
    return static_cast<std::size_t>(
        std::count_if(plan_.elements.begin(), plan_.elements.end(),
                      [&](const ElementPlan& element) { return is_here(element) && element.is_element(); }));
  }
  template <class Predicate>
  void add_joints(Predicate is_here, std::vector<std::string>& lines) const {
    std::vector<std::string> joints;
    for (const ElementPlan& element : plan_.elements) {
      if (is_here(element) && element.joint()) joints.push_back(element.name);
    }
    if (joints.empty()) return;
    add_named(joints, "joint", lines);
  }
  // "17 threads: t72..t88", on as many lines as that takes.
  static void add_named(const std::vector<std::string>& names, const char* noun,
                        std::vector<std::string>& lines) {
    for (std::string& line : wrapped(counted(names.size(), noun) + ": " + collapse_numbered(names)))
      lines.push_back(std::move(line));
  }
  [[nodiscard]] std::string shared_text(ProcessIndex process) const {
    const auto shared =
        std::count_if(plan_.elements.begin(), plan_.elements.end(), [process](const ElementPlan& element) {
          return element.host == Host(process) && element.is_shared();
        });
    return shared == 0 ? "" : fmt::format(" ({} shared)", shared);
  }
  [[nodiscard]] std::size_t count_traces(ProcessIndex process) const {
    return static_cast<std::size_t>(
        std::count_if(plan_.traces.begin(), plan_.traces.end(),
                      [process](const TracePlan& trace) { return trace.host == Host(process); }));
  }

  // Draws two opposite bundles as one line with two arrow heads, so that there are fewer lines.
  void draw_bundles() {
    for (const auto& [ends, bundle] : bundles_) {
      const auto back = bundles_.find({ends.second, ends.first});
      const bool both = back != bundles_.end();
      if (ends.first == ends.second || (both && ends.second < ends.first)) continue;
      std::string label = described(ends, bundle);
      if (both) label += "\n" + described(back->first, back->second);
      dot_->edge(ends.first, ends.second,
                 {{"label", dot_label(with_room({label}))}, {"dir", both ? "both" : "forward"}});
      PathsArrow arrow{ends.first, ends.second, both, label, bundle.paths};
      if (both) arrow.paths.insert(arrow.paths.end(), back->second.paths.begin(), back->second.paths.end());
      picture_.arrows.push_back(std::move(arrow));
    }
  }

  // "to p1: 3 (a)"
  [[nodiscard]] std::string described(const Ends& ends, const Bundle& bundle) const {
    return fmt::format("to {}: {} ({})", short_name(ends.second), bundle.paths.size(),
                       letters_.text_of({bundle.names.begin(), bundle.names.end()}));
  }

  // "process p0" becomes "p0", "server of ga" becomes "ga".
  static std::string short_name(const std::string& id) { return id.substr(id.rfind(' ') + 1); }

  const Plan& plan_;
  const std::string room_;
  std::map<Ends, Bundle> bundles_;
  PathsPicture picture_;
  PathLetters letters_;
  std::optional<DotText> dot_;
};

}  // namespace

PathsPicture picture_of_paths(const Plan& plan, const PathsView& view) {
  if (view.detail != ThreadDetail::collapsed) return draw_threads(plan, view);
  return PathsDrawing(plan, view.room).draw();
}

std::string draw_paths(const Plan& plan, const PathsView& view) { return picture_of_paths(plan, view).dot; }

}  // namespace eventspace
