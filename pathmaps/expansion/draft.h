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
#include "pathmaps/reading/names_of.h"

namespace eventspace::expansion {

using reading::Faults;
using reading::NameIndex;
using reading::NamesOf;
using reading::Place;
using reading::Word;

inline constexpr std::size_t most_threads = 10'000;
inline constexpr std::size_t most_paths = 200'000;  ///< and elements

/// The plan while it grows, with details that only faults and later steps need. Where a fault leaves a hole,
/// the optional is empty and later steps skip everything that depends on it, so that one mistake is reported
/// once. Used by one thread.
struct Draft {
  explicit Draft(Faults& sink) : faults(sink) {}

  Faults& faults;
  Plan plan;
  NamesOf<ClusterPlan> clusters{"cluster"};
  NamesOf<NodePlan> nodes{"node"};
  NamesOf<ProcessPlan> processes{"process"};
  NamesOf<ThreadPlan> threads{"thread"};     ///< and joints, as users of their uplinks
  NamesOf<ElementPlan> elements{"element"};  ///< of the application only
  NameIndex scopes{"scope"};
  std::set<std::string> unusable_wrappers;  ///< named by `wrappers`, with a fault

  IndexedVector<NodePlan, Place> node_ports;        ///< where each node's port stands
  IndexedVector<ProcessPlan, Place> process_ports;  ///< and each process's, or its mapping without one
  IndexedVector<ProcessPlan, std::optional<NodeIndex>> process_nodes;  ///< nothing: unknown node
  IndexedVector<ThreadPlan, std::optional<Host>> thread_hosts;         ///< nothing: in no process
  IndexedVector<ElementPlan, std::optional<Host>> element_hosts;  ///< nothing: not placed yet, or a fault
  IndexedVector<PathPlan, Place> path_places;
  IndexedVector<ElementPlan, std::vector<PathIndex>> users;  ///< the paths to each element, by thread
  IndexedVector<CollectivePlan, CollectiveOutline> collectives;
  std::uint32_t threshold{200};  ///< of trace elements without a threshold of their own
  IndexedVector<ThreadPlan, IndexRange<PathPlan>> thread_paths;  ///< the paths of each thread

  /// Adds an element, or another end of paths, that has no host yet.
  ElementIndex add_element(ElementPlan element);
  /// Sets the host of an element; nothing after a fault.
  void place_element(ElementIndex element, std::optional<Host> host);

  /// Nothing for a host that no node is known of, because of a fault.
  [[nodiscard]] std::optional<NodeIndex> node_of(const std::optional<Host>& host) const;
  [[nodiscard]] std::optional<NodeIndex> node_of_thread(ThreadIndex thread) const;
  [[nodiscard]] std::optional<NodeIndex> node_of_element(ElementIndex element) const;
};

}  // namespace eventspace::expansion
