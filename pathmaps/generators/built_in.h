#pragma once

// Private to pathmaps/.

#include "pathmaps/generators/generators.h"

namespace eventspace::generators {

/// Threads in a row, or a ring with `wrap: true`, that send to the one before (north) and the one after
/// (south) through one element for each channel, owned by the sender:
///
///     path "send/north/CH"     writes   "NAME/THREAD/north/CH"
///     path "receive/south/CH"  reads    "NAME/SOUTHERN NEIGHBOUR/north/CH"
///
/// and the same with north and south exchanged. In a row, the ends have no paths on their outer side.
GeneratorInfo neighbour_exchange();

/// A tree of `arity` children a thread, the first thread at its root; child K of a thread sends up to it:
///
///     path "NAME/parent/up"   of the child   writes  "NAME/CHILD/up"
///     path "NAME/child/K/up"  of the parent  reads   "NAME/CHILD/up"
GeneratorInfo reduce_tree();

/// A reduce tree with a way back down: in addition
///
///     path "NAME/child/K/down"  of the parent  writes  "NAME/CHILD/down"
///     path "NAME/parent/down"   of the child   reads   "NAME/CHILD/down"
GeneratorInfo barrier();

}  // namespace eventspace::generators
