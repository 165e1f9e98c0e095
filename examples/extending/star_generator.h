#pragma once

#include "pathmaps/generators/generators.h"

namespace example {

/// `star: {threads: "t*"}`: the first thread has an element for each of the others, which write to it: a
/// template for path generators.
eventspace::GeneratorInfo star_generator();

}  // namespace example
