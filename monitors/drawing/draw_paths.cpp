#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "monitors/cli/name_ranges.h"
#include "monitors/drawing/draw_nodes.h"
#include "monitors/drawing/drawing.h"
#include "pathmaps/plan/match.h"

namespace eventspace {
namespace {

constexpr std::size_t label_width = 34;

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

std::string plural(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The paths from one box of the picture to another.
struct Bundle {
  std::size_t paths{0};
  std::set<std::string> names;
};
using Ends = std::pair<std::string, std::string>;

class PathsDrawing {
 public:
  explicit PathsDrawing(const Plan& plan)
      : plan_(plan), dot_("paths of " + plan.name, {{"nodesep", "0.6"}, {"ranksep", "1.0"}}) {}

  std::string draw(ThreadDetail detail) {
    bundle();
    draw_nodes(
        dot_, plan_, [](NodeIndex) { return true; },
        [&](NodeIndex node) { detail == ThreadDetail::all ? fill_fully(node) : fill(node); });
    detail == ThreadDetail::all ? draw_every_path() : draw_bundles();
    return dot_.text();
  }

 private:
  /// The paths of the application. Those of scopes come after them in the plan and have pictures of their
  /// own.
  [[nodiscard]] std::span<const PathPlan> application_paths() const {
    return std::span<const PathPlan>(plan_.paths).first(plan_.path_count());
  }
  [[nodiscard]] std::string process_id(ProcessIndex process) const {
    return "process " + plan_.processes[process].name;
  }
  [[nodiscard]] std::string thread_id(ThreadIndex thread) const {
    const ThreadPlan& user = plan_.threads[thread];
    const std::string_view kind = match(
        user.kind, [](const ApplicationThread&) { return "thread "; },
        [](const JointUser&) { return "joint "; },  // the uplink of the joint
        [](const PartUser&) { return "part "; });
    return std::string(kind) + user.name;
  }
  [[nodiscard]] std::string element_id(ElementIndex element) const {
    const ElementPlan& end = plan_.elements[element];
    const std::string_view kind = match(
        end.kind, [](const TupleElement&) { return "element "; },
        [](const JointElement&) { return "joint "; }, [](const PartElement&) { return "part "; });
    return std::string(kind) + end.name;
  }
  [[nodiscard]] std::string host_id(const Host& host) const {
    return match(
        host, [this](const ProcessIndex& process) { return process_id(process); },
        [this](const NodeIndex& node) { return server_id(plan_, node); });
  }

  // Adds each path hop by hop, from its thread over the gateways to the host, in the direction of the tuples.
  void bundle() {
    for (const PathPlan& path : application_paths()) {
      std::vector<std::string> stops{host_id(plan_.threads[path.thread].host())};
      for (const NodeIndex gateway : path.route) stops.push_back(server_id(plan_, gateway));
      stops.push_back(host_id(plan_.elements[path.element].host));
      if (path.use == PathUse::read) std::reverse(stops.begin(), stops.end());
      for (std::size_t i = 1; i < stops.size(); ++i) add(stops[i - 1], stops[i], path);
    }
  }

  void add(const std::string& from, const std::string& to, const PathPlan& path) {
    Bundle& bundle = bundles_[{from, to}];
    ++bundle.paths;
    bundle.names.insert(path.name);
  }

  void fill(NodeIndex node) {
    dot_.node(server_id(plan_, node), server_attributes(node));
    for (const ProcessIndex i : plan_.processes.indices()) {
      if (plan_.processes[i].node == node) dot_.node(process_id(i), {{"label", process_label(i)}});
    }
  }

  [[nodiscard]] DotText::Attributes server_attributes(NodeIndex node) const {
    const auto is_here = [node](const ElementPlan& element) { return element.host == Host(node); };
    std::vector<std::string> lines{"server"};
    if (const auto elements = count_elements(is_here); elements > 0)
      lines.push_back(plural(elements, "element"));
    add_joints(is_here, lines);
    if (is_gateway(node)) lines.emplace_back("gateway");
    return {{"label", dot_label(lines)}, {"fillcolor", "#fff4d6"}, {"fontsize", "10"}, {"shape", "box"}};
  }

  [[nodiscard]] bool is_gateway(NodeIndex node) const {
    return std::any_of(plan_.clusters.begin(), plan_.clusters.end(),
                       [node](const ClusterPlan& cluster) { return cluster.gateway == node; });
  }

  [[nodiscard]] std::string process_label(ProcessIndex process) const {
    const ProcessPlan& planned = plan_.processes[process];
    std::vector<std::string> threads;
    for (const ThreadPlan& thread : plan_.threads) {
      if (thread.is_thread_of(process)) threads.push_back(thread.name);
    }
    std::vector<std::string> lines{
        planned.port == 0 ? planned.name : fmt::format("{}  port {}", planned.name, planned.port)};
    lines.push_back(plural(threads.size(), "thread") + ":");
    for (std::string& line : wrapped(collapse_numbered(threads))) lines.push_back(std::move(line));
    const auto is_here = [process](const ElementPlan& element) { return element.host == Host(process); };
    lines.push_back(plural(count_elements(is_here), "element") + shared_text(process) + ", " +
                    plural(count_traces(process), "trace element"));
    add_joints(is_here, lines);
    const std::string self = process_id(process);
    if (const auto own = bundles_.find({self, self}); own != bundles_.end()) {
      lines.push_back(plural(own->second.paths, "path") + " within");
    }
    return dot_label(lines);
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
    lines.push_back(plural(joints.size(), "joint") + ":");
    for (std::string& line : wrapped(collapse_numbered(joints))) lines.push_back(std::move(line));
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
      std::vector<std::string> lines;
      describe(ends, bundle, lines);
      if (both) describe(back->first, back->second, lines);
      dot_.edge(ends.first, ends.second, {{"label", dot_label(lines)}, {"dir", both ? "both" : "forward"}});
    }
  }

  static void describe(const Ends& ends, const Bundle& bundle, std::vector<std::string>& lines) {
    lines.push_back(fmt::format("to {}: {}", short_name(ends.second), plural(bundle.paths, "path")));
    for (std::string& line : wrapped(collapse_paths({bundle.names.begin(), bundle.names.end()}))) {
      lines.push_back(std::move(line));
    }
  }

  // "process p0" becomes "p0", "server of ga" becomes "ga".
  static std::string short_name(const std::string& id) { return id.substr(id.rfind(' ') + 1); }

  void fill_fully(NodeIndex node) {
    for (const ProcessIndex i : plan_.processes.indices()) {
      if (plan_.processes[i].node != node) continue;
      dot_.begin_cluster(process_id(i),
                         {{"label", process_id(i)}, {"style", "rounded,filled"}, {"fillcolor", "white"}});
      for (const ThreadIndex t : plan_.threads.indices()) {
        if (plan_.threads[t].is_thread_of(i)) dot_.node(thread_id(t), {{"label", plan_.threads[t].name}});
      }
      draw_elements([i](const ElementPlan& element) { return element.host == Host(i); });
      dot_.end_cluster();
    }
    draw_elements([node](const ElementPlan& element) { return element.host == Host(node); });
  }

  template <class Predicate>
  void draw_elements(Predicate is_here) {
    for (const ElementIndex i : plan_.elements.indices()) {
      if (!is_here(plan_.elements[i]) || plan_.elements[i].part()) continue;
      const bool joint = plan_.elements[i].joint().has_value();
      dot_.node(element_id(i), {{"label", plan_.elements[i].name},
                                {"shape", joint ? "diamond" : "ellipse"},
                                {"fillcolor", joint ? "#e3f0dc" : "#fff4d6"}});
    }
  }

  void draw_every_path() {
    for (const PathPlan& path : application_paths()) {
      const bool reads = path.use == PathUse::read;
      const std::string thread = thread_id(path.thread);
      const std::string element = element_id(path.element);
      dot_.edge(reads ? element : thread, reads ? thread : element,
                {{"label", path.name}, {"dir", path.use == PathUse::any ? "both" : "forward"}});
    }
  }

  const Plan& plan_;
  DotText dot_;
  std::map<Ends, Bundle> bundles_;
};

}  // namespace

std::string draw_paths(const Plan& plan, ThreadDetail detail) { return PathsDrawing(plan).draw(detail); }

}  // namespace eventspace
