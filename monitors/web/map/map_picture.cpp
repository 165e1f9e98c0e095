#include "monitors/web/map/map_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include "monitors/drawing/drawing.h"
#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"
#include "monitors/web/map/map_grid.h"
#include "pathmaps/plan/match.h"

namespace eventspace::web {
namespace {

/// About as wide as the live numbers of a box or arrow.
constexpr const char* room_for_numbers = "9999k/s  999 of 999";

std::string_view word_of(ThreadDetail detail) {
  switch (detail) {
    case ThreadDetail::all:
      return "threads";
    case ThreadDetail::grouped:
      return "groups";
    case ThreadDetail::collapsed:
      return "processes";
  }
  return "";
}

MapBox box_of(const Plan& plan, const PathsBox& drawn) {
  const auto host_kind = std::holds_alternative<ProcessIndex>(drawn.host) ? "process" : "server";
  MapBox box{.kind = host_kind, .name = "", .title = drawn.title, .lines = drawn.lines};
  for (const ThreadIndex thread : drawn.threads) box.threads.push_back(thread.number32());
  for (const ElementIndex element : drawn.elements) box.elements.push_back(element.number());
  box.name = match(
      drawn.host, [&](const ProcessIndex& process) { return plan.processes[process].name; },
      [&](const NodeIndex& node) { return plan.nodes[node].name; });
  return box;
}

// A box of the details `threads` and `groups`.
MapBox part_box_of(const Plan& plan, const PathsBox& drawn) {
  MapBox box = box_of(plan, drawn);
  const std::size_t parts = drawn.threads.size() + drawn.elements.size();
  box.kind = "group";
  box.name.clear();
  if (drawn.elements.size() == 1 && plan.elements[drawn.elements.front()].joint()) {
    box.kind = "joint";
    box.name = plan.elements[drawn.elements.front()].name;
  } else if (parts == 1 && drawn.threads.size() == 1) {
    box.kind = "thread";
    box.name = plan.threads[drawn.threads.front()].name;
  } else if (parts == 1) {
    box.kind = "element";
    box.name = plan.elements[drawn.elements.front()].name;
  }
  return box;
}

std::vector<std::size_t> numbers_of(const std::vector<PathIndex>& paths) {
  std::vector<std::size_t> numbers;
  numbers.reserve(paths.size());
  for (const PathIndex path : paths) numbers.push_back(path.number());
  return numbers;
}

/// Joins a picture and its layout.
class LaidOutMap {
 public:
  LaidOutMap(const Plan& plan, const PathsPicture& drawn, GraphLayout layout)
      : plan_(&plan), drawn_(&drawn), layout_(std::move(layout)) {}

  MapPicture picture(ThreadDetail detail) && {
    map_.detail = word_of(detail);
    map_.laid_out_by = "graphviz";
    map_.key = drawn_->key;
    map_.width = layout_.width;
    map_.height = layout_.height;
    add_frames();
    for (const PathsBox& box : drawn_->boxes) add_box(box, detail);
    for (const PathsArrow& arrow : drawn_->arrows) add_arrow(arrow);
    return std::move(map_);
  }

 private:
  void add_frames() {
    for (const ClusterPlan& cluster : plan_->clusters)
      add_frame("cluster", "cluster " + cluster.name, cluster.name);
    for (const NodePlan& node : plan_->nodes) add_frame("node", "node " + node.name, node.name);
    for (const ProcessPlan& process : plan_->processes)
      add_frame("process", "process " + process.name, process.name);
  }
  void add_frame(std::string_view kind, const std::string& title, const std::string& name) {
    const auto found = layout_.frames.find(graph_name(title));
    if (found != layout_.frames.end()) map_.frames.push_back({kind, name, title, found->second});
  }

  void add_box(const PathsBox& drawn, ThreadDetail detail) {
    const auto found = layout_.boxes.find(graph_name(drawn.id));
    if (found == layout_.boxes.end()) return;
    at_.emplace(drawn.id, map_.boxes.size());
    MapBox box = detail == ThreadDetail::collapsed ? box_of(*plan_, drawn) : part_box_of(*plan_, drawn);
    box.area = found->second;
    map_.boxes.push_back(std::move(box));
  }

  void add_arrow(const PathsArrow& drawn) {
    const auto from = at_.find(drawn.from);
    const auto to = at_.find(drawn.to);
    const auto curve = std::ranges::find_if(layout_.curves, [&](const GraphCurve& candidate) {
      return candidate.from == graph_name(drawn.from) && candidate.to == graph_name(drawn.to);
    });
    if (from == at_.end() || to == at_.end() || curve == layout_.curves.end()) return;
    MapArrow arrow{from->second, to->second, drawn.both_ways, drawn.label, numbers_of(drawn.paths)};
    if (!curve->points.empty())
      arrow.label_at = curve->label_at.value_or(curve->points[curve->points.size() / 2]);
    arrow.curve = std::move(curve->points);
    map_.arrows.push_back(std::move(arrow));
    layout_.curves.erase(curve);  // two arrows can have the same ends
  }

  const Plan* plan_;
  const PathsPicture* drawn_;
  GraphLayout layout_;
  MapPicture map_;
  std::map<std::string, std::size_t> at_;  // positions of boxes, by the id in the graph
};

bool is_too_large(const PathsPicture& drawn) {
  return drawn.boxes.size() > max_laid_out_boxes || drawn.arrows.size() > max_laid_out_arrows;
}

std::string size_of(const PathsPicture& drawn, ThreadDetail detail) {
  return fmt::format("{} and {} ({}) are too many to lay out", counted(drawn.boxes.size(), "box"),
                     counted(drawn.arrows.size(), "arrow"), word_of(detail));
}

/// Arrows between boxes of a grid, each for all paths with the same ends.
class GridArrows {
 public:
  void add(std::size_t from, std::size_t to, const std::vector<PathIndex>& paths) {
    if (from == to) return;
    std::set<std::size_t>& all = paths_[{from, to}];
    for (const PathIndex path : paths) all.insert(path.number());
  }
  void add_to(MapPicture& picture) const {
    for (const auto& [ends, paths] : paths_) {
      if (picture.arrows.size() == max_grid_arrows) {
        picture.note +=
            fmt::format("; {} of {} arrows are left out", paths_.size() - max_grid_arrows, paths_.size());
        break;
      }
      picture.arrows.push_back(
          {ends.first, ends.second, false, counted(paths.size(), "path"), {paths.begin(), paths.end()}});
    }
    straighten_arrows(picture);
  }

 private:
  std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> paths_;
};

std::string node_of(const Plan& plan, const PathsBox& box) { return plan.nodes[plan.node_of(box.host)].name; }

// One box for all that is drawn on a node.
MapBox node_box(const std::string& node, const std::vector<const PathsBox*>& drawn) {
  MapBox box{.kind = "node", .name = node, .title = "node " + node};
  std::size_t processes = 0;
  for (const PathsBox* const part : drawn) {
    processes += std::holds_alternative<ProcessIndex>(part->host) ? 1 : 0;
    for (const ThreadIndex thread : part->threads) box.threads.push_back(thread.number32());
    for (const ElementIndex element : part->elements) box.elements.push_back(element.number());
  }
  box.lines = {fmt::format("{}, {}", counted(processes, "process"), counted(box.threads.size(), "thread")),
               counted(box.elements.size(), "element")};
  return box;
}

/// The processes of a plan in a grid, or its nodes if these are too many.
class PlanGrid {
 public:
  PlanGrid(const Plan& plan, const PathsPicture& drawn)
      : drawn_(&drawn), has_processes_(drawn.boxes.size() <= max_grid_boxes) {
    std::map<std::string, std::vector<const PathsBox*>> by_node;
    for (const PathsBox& box : drawn.boxes) by_node[node_of(plan, box)].push_back(&box);
    for (const NodePlan& node : plan.nodes) {
      const std::vector<const PathsBox*>& parts = by_node[node.name];
      has_processes_ ? add_processes(plan, node.name, parts) : add_node(node.name, parts);
    }
  }

  MapPicture picture(std::string note) && {
    MapPicture picture{.detail = has_processes_ ? "processes" : "nodes", .note = std::move(note)};
    place_in_grid(std::move(boxes_), std::move(groups_), picture);
    GridArrows arrows;
    for (const PathsArrow& arrow : drawn_->arrows)
      arrows.add(at_.at(arrow.from), at_.at(arrow.to), arrow.paths);
    arrows.add_to(picture);
    return picture;
  }

 private:
  void add_processes(const Plan& plan, const std::string& node, const std::vector<const PathsBox*>& parts) {
    MapGroup group{{"node", node, "node " + node}};
    for (const PathsBox* const part : parts) {
      at_.emplace(part->id, at_.size());
      group.boxes.push_back(box_of(plan, *part));
      group.boxes.back().title.clear();  // the frame has it
    }
    if (!parts.empty()) groups_.push_back(std::move(group));
  }
  void add_node(const std::string& node, const std::vector<const PathsBox*>& parts) {
    for (const PathsBox* const part : parts) at_.emplace(part->id, boxes_.size());
    boxes_.push_back(node_box(node, parts));
  }

  const PathsPicture* drawn_;
  const bool has_processes_;
  std::vector<MapBox> boxes_;
  std::vector<MapGroup> groups_;
  std::map<std::string, std::size_t> at_;  // positions of boxes in the picture, by the id in the graph
};

MapBox thread_box(const MapThread& thread) {
  return {.kind = "thread", .name = thread.name, .lines = {thread.name}, .threads = {thread.number}};
}

MapBox process_box(const MapProcess& process) {
  std::vector<std::string> names;
  MapBox box{.kind = "process", .name = process.name, .lines = {process.title}};
  for (const MapThread& thread : process.threads) {
    names.push_back(thread.name);
    box.threads.push_back(thread.number);
  }
  box.lines.push_back(names.size() == 1 ? names.front()
                                        : counted(names.size(), "thread") + ": " + collapse_numbered(names));
  return box;
}

MapBox box_of(const MapNode& node) {
  MapBox box{.kind = "node", .name = node.name, .title = "node " + node.name};
  for (const MapProcess& process : node.processes)
    for (const MapThread& thread : process.threads) box.threads.push_back(thread.number);
  box.lines = {counted(node.processes.size(), "process"), counted(box.threads.size(), "thread")};
  return box;
}

MapGroup group_of(const MapNode& node, bool has_threads) {
  MapGroup group{{"node", node.name, "node " + node.name}};
  for (const MapProcess& process : node.processes) {
    if (!has_threads || process.threads.size() == 1) {
      group.boxes.push_back(process_box(process));
      continue;
    }
    MapGroup& inner = group.groups.emplace_back(MapGroup{{"process", process.name, process.title}});
    for (const MapThread& thread : process.threads) inner.boxes.push_back(thread_box(thread));
  }
  return group;
}

}  // namespace

MapPicture draw_plan_map(const Plan& plan, const LayOut& lay_out) {
  std::string note;
  PathsPicture drawn;
  for (const ThreadDetail detail : {ThreadDetail::all, ThreadDetail::grouped, ThreadDetail::collapsed}) {
    drawn = picture_of_paths(plan, {.detail = detail, .room = room_for_numbers});
    if (drawn.boxes.empty()) continue;  // no thread has a path
    if (is_too_large(drawn)) {
      note = size_of(drawn, detail);
      continue;
    }
    try {
      MapPicture map = LaidOutMap(plan, drawn, lay_out(drawn.dot)).picture(detail);
      map.note = note;
      return map;
    } catch (const EnvironmentError& error) {
      note = error.what();
    }
  }
  return PlanGrid(plan, drawn).picture(std::move(note));
}

MapPicture draw_place_map(const std::vector<MapNode>& nodes) {
  std::size_t processes = 0;
  std::size_t threads = 0;
  for (const MapNode& node : nodes) {
    processes += node.processes.size();
    for (const MapProcess& process : node.processes) threads += process.threads.size();
  }
  MapPicture picture{.detail = "threads"};
  std::vector<MapBox> boxes;
  std::vector<MapGroup> groups;
  if (processes > max_grid_boxes) {
    picture.detail = "nodes";
    picture.note = fmt::format("{} are too many for a box each", counted(processes, "process"));
    for (const MapNode& node : nodes) boxes.push_back(box_of(node));
  } else {
    const bool has_threads = threads <= max_grid_threads;
    if (!has_threads) picture.detail = "processes";
    if (!has_threads && threads > processes)
      picture.note = fmt::format("{} are too many for a box each", counted(threads, "thread"));
    for (const MapNode& node : nodes) groups.push_back(group_of(node, has_threads));
  }
  place_in_grid(std::move(boxes), std::move(groups), picture);
  return picture;
}

}  // namespace eventspace::web
