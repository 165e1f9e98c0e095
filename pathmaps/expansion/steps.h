#pragma once

// Private to pathmaps/.

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// The steps from a pathmap to its plan, in the order in which they build on each other. Each reads its
/// section of the pathmap and reports what is wrong with it.

/// `limits`: bounds and times.
void read_limits(const reading::Mapping& pathmap, Draft& draft);

/// `cluster`: nodes and the clusters they are in.
void read_cluster_map(const reading::Mapping& pathmap, Draft& draft);

/// `application`: threads, elements, paths, generators and collectives.
void read_application_map(const reading::Mapping& pathmap, Draft& draft);

/// The wrappers that `stages` of `application` puts on paths.
void read_stage_rules(const reading::Mapping& pathmap, Draft& draft);

/// The joints of the collectives, their places and their paths. Comes after placement.
void grow_joints(Draft& draft);

/// `placement`: processes, where they run, and which element lives where.
void read_placement(const reading::Mapping& pathmap, Draft& draft);

/// Ports that two servers want, and ports that a process lacks.
void check_ports(Draft& draft);

/// The gateways that each path passes.
void find_routes(Draft& draft);

/// `collect`: the event collectors on the paths and their trace elements.
void read_collect(const reading::Mapping& pathmap, Draft& draft);

/// `wrappers`: scope wrappers from shared objects, which are loaded.
void read_wrapper_libraries(const reading::Mapping& pathmap, Draft& draft);

/// `scopes`: one tree for each. Trees are made only when the pathmap has no faults up to then.
void read_scopes(const reading::Mapping& pathmap, Draft& draft);

}  // namespace eventspace::expansion
