#pragma once

#include "pathmaps/expansion/path_table.h"
#include "pathmaps/reading/document.h"

namespace eventspace::expansion {

/// Reads an entry of `collectives:` and adds the paths of its participants to `table`. The paths lead to the
/// root joint at first. The joints below the root are made by grow_joints (steps.h), when the threads have
/// been placed.
void read_collective(const reading::Entry& entry, Draft& draft, PathTable& table);

}  // namespace eventspace::expansion
