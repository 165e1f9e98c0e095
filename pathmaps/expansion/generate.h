#pragma once

#include "pathmaps/expansion/path_table.h"
#include "pathmaps/reading/document.h"

namespace eventspace::expansion {

/// Runs the generator of an entry of `generate:`, such as {barrier: {threads: "t*"}}, and adds its elements
/// and paths to `table`.
void run_generator(const reading::Value& entry, Draft& draft, PathTable& table);

}  // namespace eventspace::expansion
