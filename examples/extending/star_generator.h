#pragma once

#include "pathmaps/generators/generators.h"

namespace example {

/// A template for path generators: `star: {threads: "t*"}` makes an element for each thread except the first;
/// these threads write to their elements, and the first thread reads all of them.
eventspace::GeneratorInfo star_generator();

}  // namespace example
