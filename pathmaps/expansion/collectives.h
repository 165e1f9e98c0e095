#pragma once

// Private to pathmaps/.

#include "pathmaps/expansion/path_table.h"
#include "pathmaps/reading/document.h"

namespace eventspace::expansion {

/// Reads one entry of `collectives:` and adds its participants' paths to `table`. They lead to its root
/// joint; the joints between are made when it is known where the threads are (steps.h, grow_joints).
void read_collective(const reading::Entry& entry, Draft& draft, PathTable& table);

}  // namespace eventspace::expansion
