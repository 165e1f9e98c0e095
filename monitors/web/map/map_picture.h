#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/drawing/graph_layout.h"
#include "pathmaps/plan/plan.h"

/// The drawing of a session for the view "map" of the page: boxes, frames and arrows with their places, and
/// the parts of the session that they stand for. The picture shows as much as is legible:
///
///     threads    a box for each thread and element; small pathmaps
///     groups     threads with the same paths share a box, and so do elements that are used alike
///     processes  a box for each process; arrows are all paths between two of them
///     nodes      a box for each node
namespace eventspace::web {

/// A frame around boxes.
struct MapFrame {
  std::string_view kind;  ///< "cluster", "node" or "process"
  std::string name;
  std::string title;
  GraphArea area{};
};

struct MapBox {
  std::string_view
      kind;             ///< "thread", "element", "joint", "process", "server", "node", or "group" of several
  std::string name;     ///< of the thread, element, process or node; empty for a group
  std::string title{};  ///< for a box that is a whole node
  std::vector<std::string> lines{};
  std::vector<std::uint32_t> threads{};  ///< their numbers in records
  std::vector<std::size_t> elements{};   ///< their numbers in the plan
  GraphArea area{};
};

/// An arrow between two boxes, given by their positions in MapPicture::boxes.
struct MapArrow {
  std::size_t from{0}, to{0};
  bool both_ways{false};
  std::string label{};
  std::vector<std::size_t> paths{};  ///< their numbers in the plan
  std::vector<GraphPoint> curve{};   ///< as GraphCurve::points
  GraphPoint label_at{};
};

struct MapPicture {
  std::string_view detail{"nodes"};
  std::string_view laid_out_by{"grid"};  ///< or "graphviz"
  std::string note{};                    ///< the reason for less detail, or for the grid
  std::vector<std::string> key{};        ///< explains letters in the labels of arrows
  double width{0}, height{0};
  std::vector<MapFrame> frames{};
  std::vector<MapBox> boxes{};
  std::vector<MapArrow> arrows{};
};

/// What Graphviz lays out at most, and how long it may take for one picture.
inline constexpr std::size_t max_laid_out_boxes = 160;
inline constexpr std::size_t max_laid_out_arrows = 320;
inline constexpr std::chrono::seconds max_layout_time{8};
/// Boxes and arrows of a grid; with more boxes, each node is one box.
inline constexpr std::size_t max_grid_boxes = 512;
inline constexpr std::size_t max_grid_arrows = 512;
/// A session without a pathmap with more threads has no boxes for threads.
inline constexpr std::size_t max_grid_threads = 96;

/// Lays out a graph; throws EnvironmentError (lay_out_graph).
using LayOut = std::function<GraphLayout(const std::string& dot)>;
/// The graph of `eventspace draw` for the plan, with as much detail as `lay_out` can place. Without a layout,
/// processes or nodes are in a grid, and the note says why. Blocks as long as `lay_out`.
MapPicture draw_plan_map(const Plan& plan, const LayOut& lay_out);

/// A running part of a session, as its threads and processes named themselves.
struct MapThread {
  std::uint32_t number{0};  ///< in records
  std::string name;
  friend bool operator==(const MapThread&, const MapThread&) = default;
};
struct MapProcess {
  std::string name;
  std::string title{};  ///< with the rank, if it has one
  std::vector<MapThread> threads{};
  friend bool operator==(const MapProcess&, const MapProcess&) = default;
};
struct MapNode {
  std::string name;
  std::vector<MapProcess> processes{};
  friend bool operator==(const MapNode&, const MapNode&) = default;
};
/// A grid of nodes, their processes, and their threads: for sessions without a pathmap. Pure.
MapPicture draw_place_map(const std::vector<MapNode>& nodes);

}  // namespace eventspace::web
