#include "monitors/drawing/draw_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "monitors/drawing/draw_figures.h"
#include "monitors/drawing/draw_nodes.h"
#include "monitors/text/counted.h"
#include "monitors/text/name_ranges.h"
#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

std::string figure_text(double ns) {
  return short_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(ns, 0.0))));
}

double mean_ns(const TimeSum& sum) {
  return sum.count == 0 ? 0 : std::max(sum.ns / static_cast<double>(sum.count), 0.0);
}

std::string mean_of(const TimeSum& sum) { return sum.count == 0 ? "?" : figure_text(mean_ns(sum)); }

/// A box of the picture: one joint, or several that are alike.
using Joints = std::vector<std::size_t>;

class CollectiveDrawing {
 public:
  /// `totals` is null for a drawing without measurements.
  CollectiveDrawing(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals* totals,
                    Siblings siblings)
      : plan_(plan), shape_(shape), totals_(totals) {
    if (!shape.joints.empty()) group(0, siblings);
    if (totals_ != nullptr) find_hottest();
    dot_.emplace(heading(), DotText::Growth::right, DotText::tree());
  }

  std::string draw() {
    draw_in_clusters(*dot_, plan_, [this](NodeIndex node) {
      const NodePlan& plan = plan_.nodes[node];
      if (has_joints(plan.name)) draw_node(*dot_, plan, [&] { draw_joints(plan.name); });
    });
    for (const Joints& joints : boxes_) draw_arrows(joints);
    return dot_->text();
  }

 private:
  // Joints below one joint, on one node and with threads only, share a box if there are more than two.
  void group(std::size_t joint, Siblings siblings) {
    if (box_of_.emplace(joint, boxes_.size()).second) boxes_.push_back({joint});
    std::map<std::string, Joints> leaves;
    for (const std::size_t edge : shape_.joints[joint].edges) {
      const auto below = shape_.edges[edge].below;
      if (below && is_leaf(*below)) leaves[shape_.joints[*below].node].push_back(*below);
    }
    for (const auto& [node, joints] : leaves) {
      if (siblings == Siblings::apart || joints.size() < 3) continue;
      for (const std::size_t each : joints) box_of_.emplace(each, boxes_.size());
      boxes_.push_back(joints);
    }
    for (const std::size_t edge : shape_.joints[joint].edges) {
      const auto below = shape_.edges[edge].below;
      if (below && !box_of_.contains(*below)) group(*below, siblings);
    }
  }
  [[nodiscard]] bool is_leaf(std::size_t joint) const {
    return std::ranges::all_of(shape_.joints[joint].edges,
                               [this](std::size_t edge) { return shape_.edges[edge].is_thread(); });
  }

  [[nodiscard]] DotText::Heading heading() const {
    DotText::Heading heading{fmt::format("collective {} of {}", shape_.name, plan_.name)};
    if (totals_ == nullptr) return heading;
    heading.lines = {
        fmt::format("{} complete, {} incomplete, {} broken", counted(totals_->complete(), "operation"),
                    totals_->incomplete(), totals_->broken()),
        "Times are means per operation. Colour and width of a joint show its `passing on`; those of an arrow "
        "show `both` of the box where it begins:"};
    heading.colours = heat_scale([this](double share) { return figure_text(share * hottest_); });
    return heading;
  }

  [[nodiscard]] bool has_joints(const std::string& node) const {
    const auto is_here = [&](const auto& part) { return part.node == node; };
    return std::ranges::any_of(shape_.joints, is_here) || std::ranges::any_of(shape_.edges, is_here);
  }

  [[nodiscard]] std::string id_of(const Joints& joints) const {
    return "joint " + shape_.joints[joints.front()].name;
  }
  // The edges of the threads on one node that contribute to these joints; the drawing has one box for them.
  [[nodiscard]] std::vector<std::size_t> threads_at(const Joints& joints, const std::string& node) const {
    std::vector<std::size_t> threads;
    for (const std::size_t joint : joints) {
      for (const std::size_t edge : shape_.joints[joint].edges) {
        if (shape_.edges[edge].is_thread() && shape_.edges[edge].node == node) threads.push_back(edge);
      }
    }
    return threads;
  }
  [[nodiscard]] std::string threads_id(const Joints& joints, const std::string& node) const {
    return fmt::format("threads of {} on {}", shape_.joints[joints.front()].name, node);
  }

  void draw_joints(const std::string& node) {
    for (const Joints& joints : boxes_) {
      if (shape_.joints[joints.front()].node == node) draw_joint(joints);
      const auto threads = threads_at(joints, node);
      if (!threads.empty()) draw_threads(threads, threads_id(joints, node));
    }
  }

  [[nodiscard]] CollectiveTotals::Joint times_of(const Joints& joints) const {
    CollectiveTotals::Joint sum;
    for (const std::size_t joint : joints) {
      const CollectiveTotals::Joint& times = totals_->joints()[joint];
      sum.gathering.add(times.gathering);
      sum.passing_up.add(times.passing_up);
      sum.above.add(times.above);
      sum.handing_down.add(times.handing_down);
    }
    return sum;
  }
  static double passing_on(const CollectiveTotals::Joint& times) {
    return mean_ns(times.passing_up) + mean_ns(times.handing_down);
  }

  void draw_joint(const Joints& joints) {
    std::vector<std::string> names;
    for (const std::size_t joint : joints) names.push_back(shape_.joints[joint].name);
    std::vector<std::string> lines{joints.size() == 1
                                       ? "joint " + names.front()
                                       : counted(joints.size(), "joint") + ": " + collapse_numbered(names)};
    DotText::Attributes box;
    if (totals_ != nullptr) {
      const CollectiveTotals::Joint times = times_of(joints);
      lines.push_back("gathering " + mean_of(times.gathering));
      if (shape_.joints[joints.front()].uplink) lines.push_back("above " + mean_of(times.above));
      lines.push_back("passing on " + figure_text(passing_on(times)));
      heat(passing_on(times), box);
      if (const auto uplinks = uplinks_of(joints); !uplinks.empty()) add_times(uplinks, lines);
    }
    box["label"] = dot_label(lines);
    dot_->node(id_of(joints), box);
  }

  [[nodiscard]] std::vector<std::size_t> uplinks_of(const Joints& joints) const {
    std::vector<std::size_t> uplinks;
    for (const std::size_t joint : joints) {
      if (shape_.joints[joint].uplink) uplinks.push_back(*shape_.joints[joint].uplink);
    }
    return uplinks;
  }

  // The times of the arrow that begins at a box are in the box, so that arrows cross no text.
  void add_times(const std::vector<std::size_t>& edges, std::vector<std::string>& lines) const {
    const CollectiveTotals::Stage times = times_on(edges);
    lines.push_back(
        fmt::format("up {}, down {}, both {}", mean_of(times.up), mean_of(times.down), mean_of(times.both)));
  }

  void draw_threads(const std::vector<std::size_t>& threads, const std::string& id) {
    std::vector<std::string> names;
    names.reserve(threads.size());
    for (const std::size_t edge : threads) names.push_back(shape_.edges[edge].name);
    std::vector<std::string> lines{
        fmt::format("{}: {}", counted(threads.size(), "thread"), collapse_numbered(names))};
    if (totals_ != nullptr) {
      const auto cost = [this](std::size_t edge) { return totals_->threads()[edge].cost.ns; };
      const std::size_t worst = *std::ranges::max_element(threads, {}, cost);
      TimeSum waited;
      for (const std::size_t edge : threads) waited.add(totals_->threads()[edge].waited);
      lines.push_back("wait " + mean_of(waited) + " each");
      add_times(threads, lines);
      if (cost(worst) > 0)
        lines.push_back(fmt::format("{} cost the others {} in total", shape_.edges[worst].name,
                                    figure_text(cost(worst))));
    }
    dot_->node(id, {{"fillcolor", "#f6f6f6"}, {"label", dot_label(lines)}});
  }

  // From the boxes of threads and of other joints to the box of these joints.
  void draw_arrows(const Joints& joints) {
    std::map<std::size_t, std::vector<std::size_t>> of_box;
    for (const std::size_t joint : joints) {
      for (const std::size_t edge : shape_.joints[joint].edges)
        if (const auto below = shape_.edges[edge].below) of_box[box_of_.at(*below)].push_back(edge);
    }
    for (const auto& [box, edges] : of_box) draw_arrow(id_of(boxes_[box]), id_of(joints), edges);
    for (const NodePlan& node : plan_.nodes) {
      const auto threads = threads_at(joints, node.name);
      if (!threads.empty()) draw_arrow(threads_id(joints, node.name), id_of(joints), threads);
    }
  }

  [[nodiscard]] CollectiveTotals::Stage times_on(const std::vector<std::size_t>& edges) const {
    CollectiveTotals::Stage sum;
    for (const std::size_t edge : edges) {
      sum.up.add(totals_->stages()[edge].up);
      sum.down.add(totals_->stages()[edge].down);
      sum.both.add(totals_->stages()[edge].both);
    }
    return sum;
  }

  // From the middle of a side to the middle of a side: so it crosses no title.
  void draw_arrow(const std::string& from, const std::string& to, const std::vector<std::size_t>& edges) {
    DotText::Attributes arrow{{"tailport", "e"}, {"headport", "w"}};
    if (totals_ != nullptr) heat(mean_ns(times_on(edges).both), arrow);
    dot_->edge(from, to, arrow);
  }

  // The greatest of the figures by which boxes and arrows are coloured.
  void find_hottest() {
    for (const Joints& joints : boxes_) {
      hottest_ = std::max(hottest_, passing_on(times_of(joints)));
      for (const std::size_t joint : joints) {
        for (const std::size_t edge : shape_.joints[joint].edges) {
          if (!shape_.edges[edge].is_thread()) hottest_ = std::max(hottest_, mean_ns(times_on({edge}).both));
        }
      }
      for (const NodePlan& node : plan_.nodes) {
        if (const auto threads = threads_at(joints, node.name); !threads.empty())
          hottest_ = std::max(hottest_, mean_ns(times_on(threads).both));
      }
    }
  }
  void heat(double ns, DotText::Attributes& attributes) const {
    const double share = std::clamp(ns / std::max(hottest_, 1.0), 0.0, 1.0);
    attributes["color"] = heat_colour(share);
    attributes["penwidth"] = fmt::format("{:.1f}", 1 + 3 * share);
  }

  const Plan& plan_;
  const CollectiveShape& shape_;
  const CollectiveTotals* totals_;
  std::vector<Joints> boxes_;
  std::map<std::size_t, std::size_t> box_of_;  // the place in boxes_ of each joint
  std::optional<DotText> dot_;
  double hottest_{0};
};

}  // namespace

std::string draw_collective(const Plan& plan, const CollectiveShape& shape, Siblings siblings) {
  return CollectiveDrawing(plan, shape, nullptr, siblings).draw();
}

std::string draw_collective(const Plan& plan, const CollectiveShape& shape, const CollectiveTotals& totals,
                            Siblings siblings) {
  return CollectiveDrawing(plan, shape, &totals, siblings).draw();
}

}  // namespace eventspace
