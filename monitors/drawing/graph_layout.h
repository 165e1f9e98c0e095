#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A point of a laid out graph, in points (1/72 inch), from its upper left corner to the right and downwards.
struct GraphPoint {
  double x{0}, y{0};
};

/// A rectangle of a laid out graph, by its upper left corner.
struct GraphArea {
  double x{0}, y{0}, width{0}, height{0};
};

/// An arrow of a laid out graph.
struct GraphCurve {
  std::string from, to;                  ///< ids of boxes, as DotText::edge got them
  std::vector<GraphPoint> points{};      ///< of Bezier curves: a start, then three for each piece
  std::optional<GraphPoint> label_at{};  ///< the middle of its text
};

/// Where Graphviz puts the boxes, frames and arrows of a graph. The area covers these, without the heading.
struct GraphLayout {
  double width{0}, height{0};
  std::map<std::string, GraphArea> boxes{};   ///< by graph_name()
  std::map<std::string, GraphArea> frames{};  ///< by graph_name()
  std::vector<GraphCurve> curves{};
};

/// The name by which Graphviz knows the box or frame that DotText got as `id`.
std::string graph_name(const std::string& id);

/// Lays out a graph (DotText::text) by Graphviz' program dot, in a child process that keeps nothing on disk.
/// Blocks until dot has ended, for at most `limit`, and while `is_over`, which may be empty, returns false;
/// then kills it. Throws EnvironmentError, which says why there is no layout. Thread-safe.
GraphLayout lay_out_graph(const std::string& dot, std::chrono::nanoseconds limit,
                          const std::function<bool()>& is_over = {});

/// Reads a layout that dot wrote as "json0". Throws EnvironmentError for another text. Pure.
GraphLayout read_layout(std::string_view json);

}  // namespace eventspace
