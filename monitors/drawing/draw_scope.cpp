#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "monitors/drawing/draw_figures.h"
#include "monitors/drawing/draw_nodes.h"
#include "monitors/drawing/drawing.h"
#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"

namespace eventspace {
namespace {

/// A box of the picture of a tree; siblings with the same wrapper and parameters share a box.
struct Shape {
  std::vector<std::string> names;
  std::string runner;  ///< the node whose server runs it; empty means the consumer
  std::string what;    ///< wrapper and parameters
  std::vector<std::string> route;
  std::size_t sources{0};              ///< of one of them
  const ScopeNode* measured{nullptr};  ///< begins a part with separate figures
  std::vector<Shape> parts;

  [[nodiscard]] bool same_make(const Shape& other) const {
    if (measured != nullptr || other.measured != nullptr) return false;
    return runner == other.runner && what == other.what && sources == other.sources && route == other.route &&
           std::equal(parts.begin(), parts.end(), other.parts.begin(), other.parts.end(),
                      [&](const Shape& a, const Shape& b) {
                        return a.same_make(b) &&
                               a.names.size() * other.names.size() == b.names.size() * names.size();
                      });
  }
};

std::string describe(const ScopeNode& node) {
  std::string text = node.wrapper;
  for (const auto& [name, value] : node.parameters) text += fmt::format(" {}: {}", name, to_string(value));
  if (node.timeout.count() > 0) text += fmt::format(", waits {}", format_duration(node.timeout));
  if (node.answer_path || node.ask_path) text += ", collected";
  return text;
}

void take_names(Shape& into, const Shape& from) {
  into.names.insert(into.names.end(), from.names.begin(), from.names.end());
  for (std::size_t i = 0; i < into.parts.size(); ++i) take_names(into.parts[i], from.parts[i]);
}

std::string title_of(const Plan& plan, const ScopeTree& scope) {
  return fmt::format("scope {} of {}: {}, {}", scope.scope, plan.name,
                     counted(count_sources(scope.root), "trace element"),
                     scope.next ? "unread events" : "newest event of each");
}

class ScopeDrawing {
 public:
  /// `figures` is null for a drawing without measurements.
  ScopeDrawing(const Plan& plan, const ScopeTree& scope, const ScopeFigures* figures)
      : plan_(plan),
        scope_(scope),
        figures_(figures),
        dot_(figures == nullptr ? DotText::Heading{title_of(plan, scope)}
                                : heading_of(title_of(plan, scope), *figures),
             DotText::Growth::right, DotText::tree()) {
    place(shape_of(scope.root, ""));
  }

  std::string draw() {
    draw_in_clusters(dot_, plan_, [this](NodeIndex node) { draw_server(node); });
    draw_consumer();
    for (const Arrow& arrow : arrows_) dot_.edge(arrow.lower, arrow.upper, arrow.attributes);
    return dot_.text();
  }

 private:
  struct Box {
    std::string id;
    std::vector<std::string> lines;
    DotText::Attributes attributes;
  };
  struct Arrow {
    std::string upper, lower;
    DotText::Attributes attributes;
  };

  [[nodiscard]] Shape shape_of(const ScopeNode& node, const std::string& parent_runner) const {
    Shape shape{{node.name},
                node.node.empty() ? parent_runner : node.node,
                describe(node),
                node.route,
                node.sources.size(),
                nullptr,
                {}};
    if (figures_ != nullptr && ScopeFigures::begins_part(node, scope_)) shape.measured = &node;
    for (const ScopeNode& child : node.children) {
      Shape part = shape_of(child, shape.runner);
      if (!shape.parts.empty() && shape.parts.back().same_make(part)) {
        take_names(shape.parts.back(), part);
      } else {
        shape.parts.push_back(std::move(part));
      }
    }
    return shape;
  }

  // A read below a single wrapper on the same node becomes a line in the box of that wrapper.
  static bool is_own_read(const Shape& shape) {
    return shape.parts.size() == 1 && shape.parts[0].sources > 0 && shape.parts[0].runner == shape.runner;
  }

  std::string place(const Shape& shape) {
    std::string id = fmt::format("w{}", ++last_id_);
    std::vector<std::string> lines;
    if (shape.names.size() > 1) lines.push_back(fmt::format("{} times", shape.names.size()));
    lines.push_back(collapse_numbered(shape.names));
    lines.push_back(shape.what);
    const std::size_t sources = is_own_read(shape) ? shape.parts[0].sources : shape.sources;
    if (sources > 0)
      lines.push_back(fmt::format("reads {}{}", counted(sources, "trace element"),
                                  shape.names.size() > 1 ? " each" : ""));
    DotText::Attributes attributes;
    if (!shape.route.empty()) lines.push_back("through " + names_of(shape.route));
    if (shape.measured != nullptr) {
      draw_times(*figures_, figures_->of(*shape.measured), lines, attributes);
      if (shape.measured != &scope_.root) draw_yield(*figures_, figures_->of(*shape.measured), lines);
    }
    boxes_[shape.runner].push_back({id, std::move(lines), std::move(attributes)});
    if (is_own_read(shape)) return id;
    for (const Shape& part : shape.parts) connect(id, shape, part);
    return id;
  }

  void connect(const std::string& upper, const Shape& shape, const Shape& part) {
    // From the middle of a side to the middle of a side: so it crosses no title.
    DotText::Attributes attributes{{"tailport", "e"}, {"headport", "w"}};
    if (part.runner != shape.runner) attributes["style"] = "dashed";
    if (part.measured != nullptr) draw_share(*figures_, figures_->of(*part.measured), attributes);
    const std::string lower = place(part);
    arrows_.push_back({upper, lower, std::move(attributes)});
  }

  [[nodiscard]] std::string names_of(const std::vector<std::string>& endpoints) const {
    std::vector<std::string> names;
    for (const std::string& endpoint : endpoints) {
      for (const NodePlan& node : plan_.nodes) {
        if (node.endpoint() == endpoint) names.push_back(node.name);
      }
    }
    return collapse_numbered(names);
  }

  void draw_consumer() {
    const std::vector<Box>& boxes = boxes_[""];
    if (boxes.size() == 1) return draw_titled(boxes.front(), "consumer", "#d8f0d8");
    dot_.begin_cluster("consumer", {{"label", "consumer"},
                                    {"labeljust", "r"},
                                    {"fontsize", "10"},
                                    {"style", "rounded,filled"},
                                    {"fillcolor", "#e9f7e9"}});
    draw_boxes(boxes);
    dot_.end_cluster();
  }
  void draw_server(NodeIndex node) {
    const auto found = boxes_.find(plan_.nodes[node].name);
    if (found == boxes_.end()) return;
    if (found->second.size() == 1)
      return draw_titled(found->second.front(), node_title(plan_.nodes[node]), "#e8f0fa");
    draw_node(dot_, plan_.nodes[node], [&] { draw_boxes(found->second); });
  }
  void draw_titled(const Box& box, const std::string& title, const std::string& title_fill) {
    DotText::TitledBox titled{.title = title, .lines = box.lines, .title_fill = title_fill};
    if (const auto colour = box.attributes.find("color"); colour != box.attributes.end()) {
      titled.colour = colour->second;
      titled.width = 2;
    }
    dot_.titled_box(box.id, titled);
  }
  void draw_boxes(const std::vector<Box>& boxes) {
    for (const Box& box : boxes) {
      DotText::Attributes attributes = box.attributes;
      attributes["label"] = dot_label(box.lines);
      dot_.node(box.id, attributes);
    }
  }

  const Plan& plan_;
  const ScopeTree& scope_;
  const ScopeFigures* figures_;
  DotText dot_;
  int last_id_{0};
  std::map<std::string, std::vector<Box>> boxes_;  // by runner
  std::vector<Arrow> arrows_;
};

}  // namespace

std::string draw_scope(const Plan& plan, const ScopeTree& scope) {
  return ScopeDrawing(plan, scope, nullptr).draw();
}

std::string draw_scope(const Plan& plan, const ScopeTree& scope, const ScopeFigures& figures) {
  return ScopeDrawing(plan, scope, &figures).draw();
}

}  // namespace eventspace
