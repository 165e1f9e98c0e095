#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "monitors/drawing/scope_figures.h"
#include "pathmaps/plan/plan.h"

namespace eventspace {

// Pictures of a plan as text in Graphviz' language; pure.

/// How much of the threads the picture of the paths shows.
enum class ThreadDetail : std::uint8_t {
  collapsed,  ///< boxes are processes; paths between two of them are one arrow with their number and names
  grouped,    ///< threads of a process with the same paths are one box, and so are elements used alike
  all         ///< every thread, element and path
};

/// What the picture of the paths shows.
struct PathsView {
  ThreadDetail detail{ThreadDetail::collapsed};
  /// A glob over the names of threads: shows their paths, and the paths of the threads at the other end of
  /// these. Empty means all threads. Only for the details `grouped` and `all`.
  std::string only{};
  /// A line below the text of each box and arrow that a program which draws the picture itself fills later,
  /// such as with live numbers; the layout leaves room for it. Empty means none.
  std::string room{};
};

/// A box of the picture of the paths, and the parts of the plan that it stands for.
struct PathsBox {
  std::string id;  ///< in the graph: "thread t1", "process p0", "server of n1"
  Host host;
  std::string title{};  ///< for a box that is a whole node
  std::vector<std::string> lines{};
  std::vector<ThreadIndex> threads{};  ///< without joints and scope parts
  std::vector<ElementIndex> elements{};
};

/// An arrow of the picture of the paths, from a box to a box.
struct PathsArrow {
  std::string from, to;
  bool both_ways{false};
  std::string label{};
  std::vector<PathIndex> paths{};
};

/// The picture of the paths as a graph, and what its boxes and arrows stand for.
struct PathsPicture {
  std::string dot{};
  std::vector<std::string> key{};  ///< explains letters in the labels of arrows
  std::vector<PathsBox> boxes{};
  std::vector<PathsArrow> arrows{};
};

PathsPicture picture_of_paths(const Plan& plan, const PathsView& view);

/// The application on its nodes. Arrows show the direction of tuples. A path through gateways is drawn hop by
/// hop if the detail is `collapsed`.
std::string draw_paths(const Plan& plan, const PathsView& view);

/// The number of paths that the picture shows one by one; 0 unless the detail is `all`. Graphviz takes
/// minutes for a thousand.
std::size_t count_single_paths(const Plan& plan, const PathsView& view);

/// The gather tree of a scope, with the wrappers grouped by the node whose server runs them. Arrows show the
/// direction of events. Siblings with the same wrapper and parameters share a box.
std::string draw_scope(const Plan& plan, const ScopeTree& scope);

/// As above, with measurements. Each part of the tree that runs in a place of its own has a separate box with
/// its times, framed red if it was missing. The arrow to the part above shows the records that it yields, and
/// is wider and redder the larger its share of a pull's time is.
std::string draw_scope(const Plan& plan, const ScopeTree& scope, const ScopeFigures& figures);

/// A graph of a metric: the steps from its text to the parts that servers evaluate (docs/metrics.md).
enum class MetricGraph : std::uint8_t {
  tree,      ///< as it is written
  dag,       ///< with shared leaves
  shared,    ///< without common subexpressions
  defined,   ///< for the objects of the pathmap
  dataflow,  ///< units that fire, and queues between them
  parts      ///< divided between servers and front-end
};

/// The picture of a metric.
struct MetricPicture {
  std::string metric{};
  std::vector<std::filesystem::path> files{};  ///< with metrics beyond the shipped ones
  MetricGraph graph{MetricGraph::parts};
  std::string objects{};  ///< a glob over the names of the measured objects; empty means all
};

/// Makes the picture of a metric, for a plan. Throws ConfigurationError.
using DrawMetric =
    std::function<std::string(const std::shared_ptr<const Plan>& plan, const MetricPicture& picture)>;

}  // namespace eventspace
