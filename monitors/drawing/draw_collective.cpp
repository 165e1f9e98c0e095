#include "monitors/drawing/draw_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "monitors/cli/name_ranges.h"
#include "monitors/cli/text_format.h"
#include "monitors/drawing/draw_figures.h"
#include "monitors/drawing/draw_nodes.h"

namespace eventspace {
namespace {

std::string figure_text(double ns) {
  return short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(ns, 0.0))));
}

std::string mean_of(const TimeSum& sum) {
  return sum.count == 0 ? "?" : figure_text(sum.ns / static_cast<double>(sum.count));
}

class CollectiveDrawing {
 public:
  /// `totals` is null for a drawing without measurements.
  CollectiveDrawing(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals* totals)
      : plan_(plan),
        shape_(shape),
        totals_(totals),
        dot_(fmt::format("collective {} of {}", shape.name, plan.name),
             {{"rankdir", "BT"}, {"labelloc", "t"}, {"label", legend()}}) {}

  std::string draw() {
    if (totals_ != nullptr) find_hottest();
    draw_nodes(
        dot_, plan_, [&](NodeIndex node) { return has_joints(plan_.nodes[node].name); },
        [&](NodeIndex node) { draw_joints(plan_.nodes[node].name); });
    for (std::size_t joint = 0; joint < shape_.joints.size(); ++joint) draw_edges(joint);
    return dot_.text();
  }

 private:
  [[nodiscard]] std::string legend() const {
    std::vector<std::string> lines{fmt::format("collective {} of {}", shape_.name, plan_.name)};
    if (totals_ != nullptr) {
      lines.push_back(fmt::format("{} operations complete, {} incomplete, {} broken", totals_->complete(),
                                  totals_->incomplete(), totals_->broken()));
      lines.emplace_back(
          "Times are means. The wider and redder, the more time went by there, both ways, beside the");
      lines.emplace_back("hottest (up to a quarter grey, a half yellow, three quarters orange, all red).");
    }
    return dot_label(lines);
  }

  [[nodiscard]] bool has_joints(const std::string& node) const {
    const auto is_here = [&](const auto& part) { return part.node == node; };
    return std::ranges::any_of(shape_.joints, is_here) || std::ranges::any_of(shape_.edges, is_here);
  }

  // The edges of the threads on one node that contribute to a joint; the drawing has one box for them.
  [[nodiscard]] std::vector<std::size_t> threads_at(std::size_t joint, const std::string& node) const {
    std::vector<std::size_t> threads;
    for (const std::size_t edge : shape_.joints[joint].edges) {
      if (shape_.edges[edge].is_thread() && shape_.edges[edge].node == node) threads.push_back(edge);
    }
    return threads;
  }
  [[nodiscard]] std::string threads_id(std::size_t joint, const std::string& node) const {
    return fmt::format("threads of {} on {}", shape_.joints[joint].name, node);
  }

  void draw_joints(const std::string& node) {
    for (std::size_t joint = 0; joint < shape_.joints.size(); ++joint) {
      if (shape_.joints[joint].node == node) draw_joint(joint);
      const auto threads = threads_at(joint, node);
      if (!threads.empty()) draw_threads(threads, threads_id(joint, node));
    }
  }

  void draw_joint(std::size_t joint) {
    std::vector<std::string> lines{"joint " + shape_.joints[joint].name};
    DotText::Attributes box{{"shape", "box"}};
    if (totals_ != nullptr) {
      const CollectiveTotals::Joint& times = totals_->joints()[joint];
      lines.push_back("gathering " + mean_of(times.gathering));
      if (shape_.joints[joint].uplink)
        lines.push_back("passing up " + mean_of(times.passing_up) + ", above " + mean_of(times.above));
      lines.push_back("handing down " + mean_of(times.handing_down));
      heat(times.passing_up.ns + times.handing_down.ns, box);
    }
    box["label"] = dot_label(lines);
    dot_.node("joint " + shape_.joints[joint].name, box);
  }

  void draw_threads(const std::vector<std::size_t>& threads, const std::string& id) {
    std::vector<std::string> names;
    names.reserve(threads.size());
    for (const std::size_t edge : threads) names.push_back(shape_.edges[edge].name);
    std::vector<std::string> lines{collapse_numbered(names)};
    if (totals_ != nullptr) {
      const auto cost = [this](std::size_t edge) { return totals_->threads()[edge].cost.ns; };
      const std::size_t worst = *std::ranges::max_element(threads, {}, cost);
      TimeSum waited;
      for (const std::size_t edge : threads) waited.add(totals_->threads()[edge].waited);
      lines.push_back("wait " + mean_of(waited) + " each");
      if (cost(worst) > 0)
        lines.push_back(
            fmt::format("{} cost the others {}", shape_.edges[worst].name, figure_text(cost(worst))));
    }
    dot_.node(id, {{"shape", "ellipse"}, {"label", dot_label(lines)}});
  }

  void draw_edges(std::size_t joint) {
    const std::string to = "joint " + shape_.joints[joint].name;
    for (const std::size_t edge : shape_.joints[joint].edges) {
      if (!shape_.edges[edge].is_thread()) draw_edge("joint " + shape_.edges[edge].name, to, {edge});
    }
    for (const NodePlan& node : plan_.nodes) {
      const auto threads = threads_at(joint, node.name);
      if (!threads.empty()) draw_edge(threads_id(joint, node.name), to, threads);
    }
  }

  void draw_edge(const std::string& from, const std::string& to, const std::vector<std::size_t>& edges) {
    DotText::Attributes arrow;
    if (totals_ != nullptr) {
      CollectiveTotals::Stage all;
      for (const std::size_t edge : edges) {
        all.up.add(totals_->stages()[edge].up);
        all.down.add(totals_->stages()[edge].down);
        all.both.add(totals_->stages()[edge].both);
      }
      arrow["label"] = fmt::format(" up {}\n down {}", mean_of(all.up), mean_of(all.down));
      heat(all.both.ns / static_cast<double>(edges.size()), arrow);
    }
    dot_.edge(from, to, arrow);
  }

  void find_hottest() {
    for (const CollectiveTotals::Stage& stage : totals_->stages())
      hottest_ = std::max(hottest_, stage.both.ns);
    for (const CollectiveTotals::Joint& joint : totals_->joints())
      hottest_ = std::max(hottest_, joint.passing_up.ns + joint.handing_down.ns);
  }
  void heat(double ns, DotText::Attributes& attributes) const {
    const double share = std::clamp(ns / std::max(hottest_, 1.0), 0.0, 1.0);
    attributes["color"] = heat_colour(share);
    attributes["penwidth"] = fmt::format("{:.1f}", 1 + 4 * share);
  }

  const Plan& plan_;
  const CollectiveShape& shape_;
  const CollectiveTotals* totals_;
  DotText dot_;
  double hottest_{0};
};

}  // namespace

std::string draw_collective(const Plan& plan, const CollectiveShape& shape) {
  return CollectiveDrawing(plan, shape, nullptr).draw();
}

std::string draw_collective(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals& totals) {
  return CollectiveDrawing(plan, shape, &totals).draw();
}

}  // namespace eventspace
