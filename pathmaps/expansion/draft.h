#pragma once

// Private to pathmaps/.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pathmaps/expansion/joint_levels.h"
#include "pathmaps/plan/plan.h"
#include "pathmaps/reading/faults.h"
#include "pathmaps/reading/name_index.h"

namespace eventspace::expansion {

using reading::Faults;
using reading::NameIndex;
using reading::Place;
using reading::Word;

inline constexpr std::size_t most_threads = 10'000;
inline constexpr std::size_t most_paths = 200'000;  ///< and elements

/// The plan while it grows, with what only faults and later steps need. Where a fault leaves a hole, the
/// optional is empty and later steps skip what depends on it, so that one mistake is reported once.
struct Draft {
  explicit Draft(Faults& sink) : faults(sink) {}

  Faults& faults;
  Plan plan;
  NameIndex clusters{"cluster"};
  NameIndex nodes{"node"};
  NameIndex processes{"process"};
  NameIndex threads{"thread"};
  NameIndex elements{"element"};
  NameIndex scopes{"scope"};
  std::set<std::string> unusable_wrappers;  ///< named by `wrappers`, with a fault

  std::vector<Place> node_ports;                          ///< where each node's port stands
  std::vector<Place> process_ports;                       ///< and each process's, or its mapping without one
  std::vector<std::optional<std::size_t>> process_nodes;  ///< nothing: unknown node
  std::vector<std::optional<std::size_t>> thread_processes;
  std::vector<Place> path_places;               ///< beside plan.paths
  std::vector<std::vector<std::size_t>> users;  ///< of each element: its paths, by thread
  std::vector<CollectiveOutline> collectives;   ///< beside plan.collectives
  std::uint32_t threshold{200};                 ///< of trace elements, unless something else is said

  /// The paths of thread `thread` are [begin, end) in plan.paths.
  struct PathRange {
    std::size_t begin{0};
    std::size_t end{0};
  };
  std::vector<PathRange> thread_paths;

  [[nodiscard]] std::optional<std::size_t> node_of_thread(std::size_t thread) const;
  /// Where the element lives: the server's node, or that of its process.
  [[nodiscard]] std::optional<std::size_t> node_of_element(const ElementPlan& element) const;
};

}  // namespace eventspace::expansion
