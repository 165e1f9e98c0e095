#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "monitors/text/text_format.h"
#include "monitors/web/documents/map_parts.h"
#include "monitors/web/documents/places.h"
#include "pathmaps/plan/match.h"

namespace eventspace::web {
namespace {

Json texts_of(const std::vector<std::string>& texts) {
  Json all = Json::array();
  for (const std::string& text : texts) all.add(text);
  return all;
}

template <class Number>
Json numbers_of(const std::vector<Number>& numbers) {
  Json all = Json::array();
  for (const Number number : numbers) all.add(number);
  return all;
}

// Tenths of a point are finer than a pixel.
Json length_of(double length) { return std::round(length * 10) / 10; }

Json area_of(const GraphArea& area) {
  return Json::array({length_of(area.x), length_of(area.y), length_of(area.width), length_of(area.height)});
}

/// The positions of threads in the part "names", by their numbers in records.
class ThreadPositions {
 public:
  explicit ThreadPositions(const Looked& looked) {
    for (const top::ThreadState& thread : looked.state->threads)
      positions_.emplace(thread.health.thread, positions_.size());
  }
  [[nodiscard]] Json of(std::uint32_t thread) const {
    const auto found = positions_.find(thread);
    return found == positions_.end() ? Json() : Json(found->second);
  }
  [[nodiscard]] Json of_all(const std::vector<std::uint32_t>& threads) const {
    Json all = Json::array();
    for (const std::uint32_t thread : threads)
      if (Json position = of(thread); !position.is_null()) all.add(std::move(position));
    return all;
  }

 private:
  std::unordered_map<std::uint32_t, std::size_t> positions_;
};

Json frames_of(const MapPicture& picture) {
  Json frames = Json::array();
  for (const MapFrame& frame : picture.frames)
    frames.add(Json::object(
        {{"kind", frame.kind}, {"name", frame.name}, {"title", frame.title}, {"area", area_of(frame.area)}}));
  return frames;
}

Json boxes_of(const MapPicture& picture, const ThreadPositions& positions) {
  Json boxes = Json::array();
  for (const MapBox& box : picture.boxes) {
    boxes.add(Json::object({{"kind", box.kind},
                            {"name", box.name},
                            {"title", box.title},
                            {"lines", texts_of(box.lines)},
                            {"threads", positions.of_all(box.threads)},
                            {"elements", numbers_of(box.elements)},
                            {"area", area_of(box.area)}}));
  }
  return boxes;
}

Json arrows_of(const MapPicture& picture) {
  Json arrows = Json::array();
  for (const MapArrow& arrow : picture.arrows) {
    Json curve = Json::array();
    for (const GraphPoint& point : arrow.curve) {
      curve.add(length_of(point.x));
      curve.add(length_of(point.y));
    }
    arrows.add(Json::object(
        {{"from", arrow.from},
         {"to", arrow.to},
         {"both", arrow.both_ways},
         {"label", arrow.label},
         {"paths", numbers_of(arrow.paths)},
         {"curve", std::move(curve)},
         {"label_at", Json::array({length_of(arrow.label_at.x), length_of(arrow.label_at.y)})}}));
  }
  return arrows;
}

Json element_of(const Plan& plan, const ElementPlan& element) {
  Json object = Json::object({{"name", element.name}});
  object.set("host",
             match(
                 element.host,
                 [&](const ProcessIndex& process) { return "process " + plan.processes[process].name; },
                 [&](const NodeIndex& node) { return "node " + plan.nodes[node].name; }));
  if (const auto* const tuples = std::get_if<TupleElement>(&element.kind)) {
    object.set("kind", element.is_shared() ? "shared" : "memory");
    object.set("capacity", tuples->config.threshold);
    object.set("when_full", tuples->config.when_full == WhenFull::wait ? "wait" : "discard");
    object.set("type", tuples->config.adopts_signature ? "that of the first tuple"
                                                       : tuples->config.signature.to_string());
  } else {
    object.set("kind", element.joint() ? "joint" : "part");
  }
  return object;
}

// In columns, as a plan can have thousands of paths.
Json paths_of(const Plan& plan, const ThreadPositions& positions) {
  Json threads = Json::array();
  Json users = Json::array();
  Json elements = Json::array();
  Json uses = Json::array();
  for (const PathPlan& path : plan.paths) {
    threads.add(positions.of(path.thread.number32()));
    users.add(plan.threads[path.thread].name);
    elements.add(path.element.number());
    uses.add(to_string(path.use));
  }
  return Json::object({{"thread", std::move(threads)},
                       {"user", std::move(users)},
                       {"element", std::move(elements)},
                       {"use", std::move(uses)}});
}

std::string text_of(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, eventspace::to_string(value));
  return text;
}

/// The nodes of a tree in pre-order, each with its depth.
class Levels {
 public:
  explicit Levels(const ScopeNode& root) { add(root, 0, ""); }

  [[nodiscard]] Json levels() && { return std::move(levels_); }
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

 private:
  void add(const ScopeNode& node, std::size_t depth, const std::string& parent_place) {
    const std::string& place = node.node.empty() ? parent_place : node.node;
    if (count_ < max_map_levels) {
      ++count_;
      levels_.add(
          Json::object({{"name", node.name},
                        {"depth", depth},
                        {"wrapper", node.wrapper},
                        {"parameters", text_of(node.parameters)},
                        {"node", place},
                        {"sources", node.sources.size()},
                        {"timeout_s", node.timeout.count() > 0 ? Json(seconds_of(node.timeout)) : Json()},
                        {"collected", node.answer_path || node.ask_path}}));
    } else {
      ++left_out_;
    }
    for (const ScopeNode& child : node.children) add(child, depth + 1, place);
  }

  Json levels_{Json::array()};
  std::size_t count_{0};
  std::size_t left_out_{0};
};

Json scope_of(const ScopeTree& tree, bool is_watched) {
  Levels levels(tree.root);
  return Json::object({{"name", tree.scope},
                       {"watched", is_watched},
                       {"reads", tree.next ? "unread events" : "the newest event of each trace element"},
                       {"sources", count_sources(tree.root)},
                       {"left_out", levels.left_out()},
                       {"levels", std::move(levels).levels()}});
}

}  // namespace

std::vector<MapNode> nodes_of(const Looked& looked) {
  const Places places(looked);
  std::vector<MapNode> nodes;
  for (const std::string& node : places.nodes) nodes.push_back({node});
  std::vector<std::pair<std::size_t, std::size_t>> at;  // of processes: node, and position there
  for (std::size_t i = 0; i < places.numbers.size(); ++i) {
    const std::string name(looked.names->process_name(places.numbers[i]));
    const auto member = looked.names->member_of_process(places.numbers[i]);
    auto& processes = nodes[places.of_processes[i]].processes;
    at.emplace_back(places.of_processes[i], processes.size());
    processes.push_back({name, member ? fmt::format("rank {}: {}", member->rank, name) : name});
  }
  for (std::size_t i = 0; i < places.of_threads.size(); ++i) {
    if (!places.of_threads[i]) continue;
    const auto [node, process] = at[*places.of_threads[i]];
    const std::uint32_t number = looked.state->threads[i].health.thread;
    nodes[node].processes[process].threads.push_back(
        {number, std::string(looked.names->thread_name(number))});
  }
  return nodes;
}

Json map_part(const MapPicture& picture, const Looked& looked, const ScopeTree& watched) {
  const ThreadPositions positions(looked);
  const Plan& plan = *looked.plan;
  Json elements = Json::array();
  for (const ElementPlan& element : plan.elements) elements.add(element_of(plan, element));
  Json scopes = Json::array({scope_of(watched, true)});
  for (const ScopeTree& scope : plan.scopes)
    if (scope.scope != watched.scope) scopes.add(scope_of(scope, false));
  return Json::object({{"detail", picture.detail},
                       {"laid_out_by", picture.laid_out_by},
                       {"note", picture.note},
                       {"key", texts_of(picture.key)},
                       {"width", length_of(picture.width)},
                       {"height", length_of(picture.height)},
                       {"frames", frames_of(picture)},
                       {"boxes", boxes_of(picture, positions)},
                       {"arrows", arrows_of(picture)},
                       {"elements", std::move(elements)},
                       {"paths", paths_of(plan, positions)},
                       {"scopes", std::move(scopes)}});
}

}  // namespace eventspace::web
