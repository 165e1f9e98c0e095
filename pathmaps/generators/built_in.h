#pragma once

#include "pathmaps/generators/generators.h"

namespace eventspace::generators {

/// The path generators that every pathmap can use; see also docs/pathmap.md.

/// Connects threads in a row, or in a ring with `wrap: true`. Each thread sends to the previous one (north)
/// and to the next one (south), through one element for each channel:
///
///     path "send/north/CH"     writes   "NAME/THREAD/north/CH"
///     path "receive/south/CH"  reads    "NAME/SOUTHERN NEIGHBOUR/north/CH"
///
/// and the same with north and south exchanged. In a row, the first and the last thread have no paths on
/// their outer side.
GeneratorInfo neighbour_exchange();

/// Connects threads in a tree in which each thread has up to `arity` children; the first thread is the root.
/// Child K of a thread sends to its parent:
///
///     path "NAME/parent/up"   of the child   writes  "NAME/CHILD/up"
///     path "NAME/child/K/up"  of the parent  reads   "NAME/CHILD/up"
GeneratorInfo reduce_tree();

/// A reduce tree whose parents also send to their children. In addition to the paths of reduce_tree it has
///
///     path "NAME/child/K/down"  of the parent  writes  "NAME/CHILD/down"
///     path "NAME/parent/down"   of the child   reads   "NAME/CHILD/down"
GeneratorInfo barrier();

}  // namespace eventspace::generators
