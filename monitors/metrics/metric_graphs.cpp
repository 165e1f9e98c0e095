// The pictures of draw_metric.h: graphs and dataflows in Graphviz' language.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/drawing/dot_text.h"
#include "monitors/metrics/draw_metric.h"

namespace eventspace {
namespace {

using metrics::Dataflow;
using metrics::Definition;
using metrics::Firing;
using metrics::FlowQueue;
using metrics::FlowUnit;
using metrics::Graph;
using metrics::GraphNode;
using metrics::Location;
using metrics::ObservedObjects;
using metrics::Operator;
using metrics::TypedNode;

constexpr const char* colour_of_events = "#fff2cc";
constexpr const char* colour_of_measurements = "#e2f0d9";
constexpr const char* colour_of_aggregates = "#dae8fc";
constexpr const char* colour_of_leaves = "#f2f2f2";
constexpr const char* colour_of_connectors = "#f8cecc";

const char* colour_of(const GraphNode& node) {
  if (node.role == GraphNode::Role::probe) return colour_of_events;
  if (node.role == GraphNode::Role::joined) return colour_of_aggregates;
  if (node.role != GraphNode::Role::part) return colour_of_leaves;
  switch (node.what->kind) {
    case TypedNode::Kind::at:
      return colour_of_events;
    case TypedNode::Kind::built_in:
      return colour_of_measurements;
    case TypedNode::Kind::aggregate:
    case TypedNode::Kind::combination:
      return colour_of_aggregates;
    default:
      return node.count == 0 ? colour_of_leaves : "white";
  }
}

DotText::Attributes filled(const std::string& label, const char* colour) {
  return {{"label", label}, {"fillcolor", colour}, {"style", "filled,rounded"}};
}

/// Whether `operand` is an operand of an operator that is not commutative: a picture may draw boxes side by
/// side in any order.
bool stands_behind(const Graph& graph, std::uint32_t node, std::uint32_t operand) {
  const GraphNode& of = graph.nodes[node];
  if (of.role != GraphNode::Role::part || of.what->kind != TypedNode::Kind::binary) return false;
  switch (of.what->op) {
    case Operator::minus:
    case Operator::divided:
    case Operator::modulo:
    case Operator::less:
    case Operator::at_most:
    case Operator::greater:
    case Operator::at_least:
    case Operator::matches: {
      const auto operands = graph.operands_of(node);
      return operands[0] != operand && operands[1] == operand;
    }
    default:
      return false;
  }
}
constexpr const char* behind = "2nd";
constexpr const char* line_of_order = "2nd: the second operand, such as the divisor";

class FlowDrawing {
 public:
  FlowDrawing(const Dataflow& flow, const Graph& graph, const Definition& definition,
              const ObservedObjects& objects, const PictureTitle& title)
      : flow_(flow),
        graph_(graph),
        definition_(definition),
        objects_(objects),
        dot_({title.title,
              {title.line,
               "arrows are queues: thick ones hold a token of events for each virtual time, thin ones hold "
               "readings; a number at an arrow is that of the probe whose tokens it carries",
               line_of_order},
              colours_of(flow)},
             DotText::Growth::down) {}

  std::string draw(bool is_divided) {
    if (is_divided)
      draw_places();
    else
      for (std::uint32_t i = 0; i < flow_.units.size(); ++i) draw_unit(i);
    for (std::uint32_t i = 0; i < flow_.queues.size(); ++i) draw_queue(i);
    return dot_.text();
  }

 private:
  using Colours = std::vector<std::pair<std::string, std::string>>;

  /// Explains the colours that the picture uses.
  static Colours colours_of(const Dataflow& flow) {
    Colours all{{colour_of_measurements, "measures"},
                {colour_of_events, "by events"},
                {colour_of_aggregates, "aggregates"},
                {colour_of_connectors, "receives"}};
    std::erase_if(all, [&](const auto& colour) {
      return std::ranges::none_of(flow.units,
                                  [&](const FlowUnit& unit) { return colour_of_unit(unit) == colour.first; });
    });
    return all;
  }

  /// Draws the units of each place in a frame, except the front-end's, which are drawn without one.
  void draw_places() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> hosts;
    for (std::uint32_t i = 0; i < flow_.units.size(); ++i) {
      const Location& location = flow_.units[i].location;
      if (location.kind == Location::Kind::host)
        hosts[location.host].push_back(i);
      else
        draw_unit(i);
    }
    for (const auto& [host, units] : hosts) {
      dot_.begin_cluster(fmt::format("host {}", host),
                         {{"label", fmt::format("node {}", objects_.nodes()[host])},
                          {"style", "rounded,filled"},
                          {"fillcolor", "#fafcff"},
                          {"color", "#7090b0"}});
      for (const std::uint32_t unit : units) draw_unit(unit);
      dot_.end_cluster();
    }
  }

  static std::string id_of(std::uint32_t unit) { return fmt::format("u{}", unit); }

  void draw_unit(std::uint32_t number) {
    const FlowUnit& unit = flow_.units[number];
    dot_.node(id_of(number), filled(dot_label(lines_of(unit)), colour_of_unit(unit)));
    // The constants of a unit are in the same frame.
    for (std::uint32_t i = 0; i < flow_.queues.size(); ++i) {
      const FlowQueue& queue = flow_.queues[i];
      if (queue.to == number && queue.from == FlowQueue::nothing)
        dot_.node(fmt::format("c{}", i), {{"label", label_of(queue.node)}, {"shape", "plaintext"}});
    }
  }

  static const char* colour_of_unit(const FlowUnit& unit) {
    switch (unit.kind) {
      case FlowUnit::Kind::measurement:
        return colour_of_measurements;
      case FlowUnit::Kind::iterator:
      case FlowUnit::Kind::shift:
        return colour_of_events;
      case FlowUnit::Kind::collection:
        return colour_of_aggregates;
      case FlowUnit::Kind::connector:
        return colour_of_connectors;
      case FlowUnit::Kind::operation:
        break;
    }
    return "white";
  }

  std::vector<std::string> lines_of(const FlowUnit& unit) const {
    const GraphNode& node = graph_.nodes[unit.node];
    std::vector<std::string> lines{title_of(unit, node)};
    if (unit.kind == FlowUnit::Kind::measurement) add_arguments(unit.node, lines);
    if (unit.kind != FlowUnit::Kind::connector) add_firing(unit, lines);
    return lines;
  }

  std::string title_of(const FlowUnit& unit, const GraphNode& node) const {
    if (unit.kind == FlowUnit::Kind::connector) return "from its server";
    const bool is_at = node.role == GraphNode::Role::part && node.what->kind == TypedNode::Kind::at;
    if (!is_at) return metrics::label(node, graph_, definition_, &objects_);
    const auto of = graph_.operands_of(unit.node);
    if (unit.kind == FlowUnit::Kind::iterator) return label_of(of[0]);
    int shift = 0;
    for (const TypedNode* at = graph_.nodes[of[3]].what; at->kind == TypedNode::Kind::shifted;
         at = at->operands[0].get())
      shift += at->shift;
    return fmt::format("vt {:+}", shift);
  }

  std::string label_of(std::uint32_t node) const {
    return metrics::label(graph_.nodes[node], graph_, definition_, &objects_);
  }

  /// Objects, partners and interval of a built-in metric are not tokens, but are shown as well.
  void add_arguments(std::uint32_t node, std::vector<std::string>& lines) const {
    for (const std::uint32_t operand : graph_.operands_of(node)) {
      const GraphNode& argument = graph_.nodes[operand];
      const bool is_interval =
          argument.role == GraphNode::Role::part && argument.what->kind == TypedNode::Kind::interval;
      if (!is_interval) {
        lines.push_back(label_of(operand));
        continue;
      }
      const auto ends = graph_.operands_of(operand);
      lines.push_back(fmt::format("[{}, {}]", label_of(ends[0]), label_of(ends[1])));
    }
  }

  void add_firing(const FlowUnit& unit, std::vector<std::string>& lines) const {
    if (unit.firing == Firing::on_reading) lines.emplace_back("when read");
    if (unit.firing == Firing::collects) lines.emplace_back("collects until read");
    if (unit.firing != Firing::on_event) return;
    std::vector<std::string> probes;
    for (const std::uint32_t probe : unit.probes)
      probes.push_back(fmt::format("{}: {}", probe, definition_.samplers[probe - 1].probe));
    lines.push_back(fmt::format("at {}", fmt::join(probes, ", ")));
  }

  void draw_queue(std::uint32_t number) {
    const FlowQueue& queue = flow_.queues[number];
    const bool is_root = queue.to == FlowQueue::nothing;
    if (is_root)
      dot_.node(fmt::format("r{}", number), {{"label", result_of(queue.node)}, {"shape", "plaintext"}});
    const std::string to = is_root ? fmt::format("r{}", number) : id_of(queue.to);
    DotText::Attributes attributes{{"dir", "back"}};
    if (queue.from == FlowQueue::nothing) {
      const std::string id = fmt::format("c{}", number);
      if (is_root) dot_.node(id, {{"label", label_of(queue.node)}, {"shape", "plaintext"}});
      if (const std::string label = label_of(queue); !label.empty()) attributes["label"] = label;
      dot_.edge(to, id, attributes);
      return;
    }
    if (queue.capacity > 1) attributes["penwidth"] = "2";
    if (const std::string label = label_of(queue); !label.empty()) attributes["label"] = label;
    const bool is_sent = !is_root && flow_.units[queue.to].kind == FlowUnit::Kind::connector;
    if (is_sent) attributes["style"] = "dashed";
    dot_.edge(to, id_of(queue.from), attributes);
  }

  /// The label of a queue's arrow.
  [[nodiscard]] std::string label_of(const FlowQueue& queue) const {
    const bool is_requested = queue.requester != FlowQueue::any_requester;
    const bool is_behind = queue.to != FlowQueue::nothing &&
                           flow_.units[queue.to].kind == FlowUnit::Kind::operation &&
                           stands_behind(graph_, flow_.units[queue.to].node, queue.node);
    const std::string probe = is_requested ? std::to_string(queue.requester) : "";
    if (!is_behind) return probe;
    return is_requested ? fmt::format("{}, {}", probe, behind) : behind;
  }

  /// The label of a result, with its objects if there are several results.
  [[nodiscard]] std::string result_of(std::uint32_t node) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph_.root_names.size(); ++i)
      if (graph_.roots[i] == node && !graph_.root_names[i].empty()) names.push_back(graph_.root_names[i]);
    return names.empty() ? "result" : fmt::format("result of {}", fmt::join(names, "; "));
  }

  const Dataflow& flow_;
  const Graph& graph_;
  const Definition& definition_;
  const ObservedObjects& objects_;
  DotText dot_;
};

}  // namespace

std::string draw_graph(const Graph& graph, const Definition& definition, const ObservedObjects* objects,
                       const PictureTitle& title) {
  DotText dot({title.title,
               {title.line, line_of_order},
               {{colour_of_measurements, "measures"},
                {colour_of_events, "by events"},
                {colour_of_aggregates, "aggregates"},
                {colour_of_leaves, "given"}}},
              DotText::Growth::down);
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
    dot.node(fmt::format("n{}", i),
             filled(metrics::label(graph.nodes[i], graph, definition, objects), colour_of(graph.nodes[i])));
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::uint32_t operand : graph.operands_of(i)) {
      DotText::Attributes attributes;
      if (stands_behind(graph, i, operand)) attributes["label"] = behind;
      dot.edge(fmt::format("n{}", i), fmt::format("n{}", operand), attributes);
    }
  }
  for (std::size_t i = 0; i < graph.root_names.size(); ++i) {
    if (graph.root_names[i].empty()) continue;
    const std::string id = fmt::format("r{}", i);
    dot.node(id, {{"label", "of " + graph.root_names[i]}, {"shape", "plaintext"}});
    dot.edge(id, fmt::format("n{}", graph.roots[i]), {});
  }
  return dot.text();
}

std::string draw_dataflow(const Dataflow& flow, const Graph& graph, const Definition& definition,
                          const ObservedObjects& objects, bool is_divided, const PictureTitle& title) {
  return FlowDrawing(flow, graph, definition, objects, title).draw(is_divided);
}

}  // namespace eventspace
