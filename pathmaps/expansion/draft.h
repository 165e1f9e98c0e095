#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pathmaps/expansion/joint_levels.h"
#include "pathmaps/plan/load_options.h"
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

inline constexpr std::size_t max_threads = 10'000;
inline constexpr std::size_t max_paths = 200'000;  ///< also the bound on elements

/// The plan under construction, with the details that faults and later steps need. After a fault, the
/// optional value that could not be determined stays empty, and later steps skip all that depends on it, so
/// that each mistake in the pathmap is reported once. Not thread-safe.
struct Draft {
  explicit Draft(Faults& sink) : faults(sink) {}

  Faults& faults;
  Plan plan;
  NamesOf<ClusterPlan> clusters{"cluster"};
  NamesOf<NodePlan> nodes{"node"};
  NamesOf<ProcessPlan> processes{"process"};
  NamesOf<ThreadPlan> threads{"thread"};     ///< joints too, as users of their uplinks
  NamesOf<ElementPlan> elements{"element"};  ///< of the application only
  NamesOf<AnnexPlan> annexes{"annex"};
  NameIndex scopes{"scope"};
  std::set<std::string> unusable_wrappers;  ///< entries of `wrappers:` with a fault, or not loaded
  std::vector<NamedLibrary> libraries;      ///< the shared objects of `wrappers:` that may be loaded

  IndexedVector<NodePlan, Place> node_ports;  ///< for faults
  IndexedVector<NodePlan, std::optional<Priority>>
      node_priorities;                              ///< `priority` of each node, if it has one
  std::optional<Priority> usual_priority;           ///< the priority of the pathmap, if given
  IndexedVector<ProcessPlan, Place> process_ports;  ///< for faults; the process if it is without a port
  IndexedVector<ProcessPlan, std::optional<NodeIndex>> process_nodes;  ///< empty if the node is unknown
  IndexedVector<ThreadPlan, std::optional<Host>> thread_hosts;         ///< empty if not in a process
  IndexedVector<ElementPlan, std::optional<Host>> element_hosts;       ///< empty if not placed yet, or after
                                                                       ///< a fault
  IndexedVector<PathPlan, Place> path_places;
  IndexedVector<ElementPlan, std::vector<PathIndex>> users;  ///< the paths to each element, by thread
  IndexedVector<CollectivePlan, CollectiveOutline> collectives;
  std::uint32_t threshold{200};  ///< of trace elements without a specific threshold
  IndexedVector<ThreadPlan, IndexRange<PathPlan>> thread_paths;  ///< the paths of each thread

  /// Adds an element, or another end of paths, without a host.
  ElementIndex add_element(ElementPlan element);
  /// Sets the host of an element. `host` is empty after a fault.
  void place_element(ElementIndex element, std::optional<Host> host);

  /// These return the node of a host, thread or element; nothing if a fault left it unknown.
  [[nodiscard]] std::optional<NodeIndex> node_of(const std::optional<Host>& host) const;
  [[nodiscard]] std::optional<NodeIndex> node_of_thread(ThreadIndex thread) const;
  [[nodiscard]] std::optional<NodeIndex> node_of_element(ElementIndex element) const;
};

}  // namespace eventspace::expansion
