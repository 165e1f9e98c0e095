#pragma once

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The steps that expand a pathmap to its plan; pathmap.cpp runs them in the order in which they depend on
/// each other. Each reads a section of the pathmap, or completes the draft, and reports the faults that it
/// finds.

/// `limits`: bounds and times.
void read_limits(const reading::Mapping& pathmap, Draft& draft);

/// `cluster`: nodes and the clusters they are in.
void read_cluster_map(const reading::Mapping& pathmap, Draft& draft);

/// `application`: threads, elements, paths, generators and collectives.
void read_application_map(const reading::Mapping& pathmap, Draft& draft);

/// The wrappers that `stages` of `application` puts on paths.
void read_stage_rules(const reading::Mapping& pathmap, Draft& draft);

/// Makes the joints of the collectives, places them, and makes their paths. REQUIRES: read_placement.
void grow_joints(Draft& draft);

/// `placement`: processes, their nodes and threads, and the hosts of elements.
void read_placement(const reading::Mapping& pathmap, Draft& draft);

/// Reports ports that two servers of a host share, and servers without a port that other machines use. Gives
/// the other servers without a port their local endpoints.
void check_ports(Draft& draft);

/// Sets PathPlan::route of each path.
void find_routes(Draft& draft);

/// Sets NodePlan::priority of each node. REQUIRES: find_routes.
void settle_priorities(Draft& draft);

/// `collect`: the event collectors on the paths and their trace elements.
void read_collect(const reading::Mapping& pathmap, Draft& draft);

/// `wrappers`: finds shared objects with scope wrappers, and loads them if the options allow it.
void read_wrapper_libraries(const reading::Mapping& pathmap, const LoadOptions& options, Draft& draft);

/// `scopes`: makes the tree of each scope. Trees are made only if the pathmap has no faults so far, and all
/// its wrappers are loaded.
void read_scopes(const reading::Mapping& pathmap, Draft& draft);

}  // namespace eventspace::expansion
