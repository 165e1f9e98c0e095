// The pictures of draw_metric.h: graphs and dataflows in Graphviz' language.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
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

constexpr std::array<std::pair<const char*, const char*>, 5> meanings{{{colour_of_measurements, "measures"},
                                                                       {colour_of_events, "by events"},
                                                                       {colour_of_aggregates, "aggregates"},
                                                                       {colour_of_leaves, "given"},
                                                                       {colour_of_connectors, "receives"}}};

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

/// Prints the boxes and arrows of a picture of a metric, with an explanation of the colours that it uses.
class MetricPrinter {
 public:
  /// `lines`: below the title, above the explanation of the order of operands.
  MetricPrinter(const PictureTitle& title, std::vector<std::string> lines)
      : heading_{title.title, {title.line}} {
    heading_.lines.insert(heading_.lines.end(), lines.begin(), lines.end());
    heading_.lines.emplace_back("2nd: the second operand, such as the divisor");
  }

  /// The name of the frame of the boxes that follow; empty: no frame.
  void set_frame(const std::string& frame) {
    const auto known = std::ranges::find(frames_, frame, &Frame::name);
    frame_ = static_cast<std::size_t>(known - frames_.begin());
    if (known == frames_.end()) frames_.push_back({frame, {}});
  }
  void box(const std::string& id, const std::string& label, const char* colour) {
    used_.insert(colour);
    frames_[frame_].boxes.push_back(
        {id, {{"label", label}, {"fillcolor", colour}, {"style", "filled,rounded"}}});
  }
  /// Words without a box.
  void words(const std::string& id, const std::string& label) {
    frames_[frame_].boxes.push_back({id, {{"label", label}, {"shape", "plaintext"}}});
  }
  void arrow(const std::string& from, const std::string& to, const std::string& label,
             DotText::Attributes attributes = {}) {
    if (!label.empty()) attributes["label"] = label;
    arrows_.push_back({from, to, std::move(attributes)});
  }

  [[nodiscard]] std::string print() {
    for (const auto& [colour, meaning] : meanings)
      if (used_.contains(colour)) heading_.colours.emplace_back(colour, meaning);
    DotText dot(heading_, DotText::Growth::down);
    for (const auto& [frame, boxes] : frames_) {
      if (!frame.empty())
        dot.begin_cluster(
            frame,
            {{"label", frame}, {"style", "rounded,filled"}, {"fillcolor", "#fafcff"}, {"color", "#7090b0"}});
      for (const auto& [id, attributes] : boxes) dot.node(id, attributes);
      if (!frame.empty()) dot.end_cluster();
    }
    for (const Arrow& arrow : arrows_) dot.edge(arrow.from, arrow.to, arrow.attributes);
    return dot.text();
  }

 private:
  struct Frame {
    std::string name;
    std::vector<std::pair<std::string, DotText::Attributes>> boxes;  // by their ids
  };
  struct Arrow {
    std::string from;
    std::string to;
    DotText::Attributes attributes;
  };

  DotText::Heading heading_;
  std::vector<Frame> frames_{Frame{}};  // the first has no name
  std::size_t frame_{0};                // the current one
  std::vector<Arrow> arrows_;
  std::set<std::string_view> used_;
};

class FlowDrawing {
 public:
  FlowDrawing(const Dataflow& flow, const Graph& graph, const Definition& definition,
              const ObservedObjects& objects, const PictureTitle& title)
      : flow_(flow),
        graph_(graph),
        definition_(definition),
        objects_(objects),
        printer_(
            title,
            {"arrows are queues: thick ones hold a token of events for each virtual time, thin ones hold "
             "readings; a number at an arrow is that of the probe whose tokens it carries"}) {}

  std::string draw(bool is_divided) {
    for (std::uint32_t i = 0; i < flow_.units.size(); ++i) {
      const Location& location = flow_.units[i].location;
      const bool has_frame = is_divided && location.kind == Location::Kind::host;
      printer_.set_frame(has_frame ? fmt::format("node {}", objects_.nodes()[location.host]) : "");
      draw_unit(i);
    }
    printer_.set_frame("");
    for (std::uint32_t i = 0; i < flow_.queues.size(); ++i) draw_queue(i);
    return printer_.print();
  }

 private:
  static std::string id_of(std::uint32_t unit) { return fmt::format("u{}", unit); }

  void draw_unit(std::uint32_t number) {
    const FlowUnit& unit = flow_.units[number];
    printer_.box(id_of(number), dot_label(lines_of(unit)), colour_of_unit(unit));
    // The constants of a unit are in the same frame.
    for (std::uint32_t i = 0; i < flow_.queues.size(); ++i) {
      const FlowQueue& queue = flow_.queues[i];
      if (queue.to == number && queue.from == FlowQueue::nothing)
        printer_.words(fmt::format("c{}", i), label_of(queue.node));
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
    const bool is_constant = queue.from == FlowQueue::nothing;
    const std::string to = is_root ? fmt::format("r{}", number) : id_of(queue.to);
    const std::string from = is_constant ? fmt::format("c{}", number) : id_of(queue.from);
    if (is_root) printer_.words(to, result_of(queue.node));
    if (is_root && is_constant) printer_.words(from, label_of(queue.node));
    DotText::Attributes attributes{{"dir", "back"}};
    if (!is_constant && queue.capacity > 1) attributes["penwidth"] = "2";
    if (!is_constant && !is_root && flow_.units[queue.to].kind == FlowUnit::Kind::connector)
      attributes["style"] = "dashed";
    printer_.arrow(to, from, label_of(queue), attributes);
  }

  /// The label of a queue's arrow.
  [[nodiscard]] std::string label_of(const FlowQueue& queue) const {
    const bool is_requested = queue.requester != FlowQueue::any_requester;
    const bool is_behind = queue.to != FlowQueue::nothing &&
                           flow_.units[queue.to].kind == FlowUnit::Kind::operation &&
                           stands_behind(graph_, flow_.units[queue.to].node, queue.node);
    std::string probe = is_requested ? std::to_string(queue.requester) : "";
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
  MetricPrinter printer_;
};

}  // namespace

std::string draw_graph(const Graph& graph, const Definition& definition, const ObservedObjects* objects,
                       const PictureTitle& title) {
  MetricPrinter printer(title, {});
  const auto id_of = [](std::uint32_t node) { return fmt::format("n{}", node); };
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    printer.box(id_of(i), metrics::label(graph.nodes[i], graph, definition, objects),
                colour_of(graph.nodes[i]));
    for (const std::uint32_t operand : graph.operands_of(i))
      printer.arrow(id_of(i), id_of(operand), stands_behind(graph, i, operand) ? behind : "");
  }
  for (std::size_t i = 0; i < graph.root_names.size(); ++i) {
    if (graph.root_names[i].empty()) continue;
    const std::string id = fmt::format("r{}", i);
    printer.words(id, "of " + graph.root_names[i]);
    printer.arrow(id, id_of(graph.roots[i]), "");
  }
  return printer.print();
}

std::string draw_dataflow(const Dataflow& flow, const Graph& graph, const Definition& definition,
                          const ObservedObjects& objects, bool is_divided, const PictureTitle& title) {
  return FlowDrawing(flow, graph, definition, objects, title).draw(is_divided);
}

}  // namespace eventspace
