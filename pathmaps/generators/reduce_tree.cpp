#include "pathmaps/generators/built_in.h"
#include "pathmaps/generators/tree.h"

namespace eventspace::generators {

GeneratorInfo reduce_tree() {
  return {.name = "reduce-tree",
          .help = "each thread sends what it and its children have to its parent",
          .tuple = {},
          .parameters = tree_parameters("reduce"),
          .make = [](const GeneratorInput& input, Generated& out) {
            TreePaths paths(input, out);
            paths.for_each([&](const Edge& edge) { paths.up(edge); });
          }};
}

}  // namespace eventspace::generators
