#include "pathmaps/generators/built_in.h"
#include "pathmaps/generators/tree.h"

namespace eventspace::generators {

GeneratorInfo barrier() {
  return {.name = "barrier",
          .help = "arrival is reported up a tree, release comes down it",
          .tuple = {"int"},
          .parameters = tree_parameters("barrier"),
          .make = [](const GeneratorInput& input, Generated& out) {
            TreePaths paths(input, out);
            paths.for_each([&](const Edge& edge) {
              paths.up(edge);
              paths.down(edge);
            });
          }};
}

}  // namespace eventspace::generators
