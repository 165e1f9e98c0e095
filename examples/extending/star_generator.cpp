#include "examples/extending/star_generator.h"

namespace example {

using namespace eventspace;

GeneratorInfo star_generator() {
  return {"star",
          "the first thread takes from each of the others",
          {"int"},
          {},
          [](const GeneratorInput& input, Generated& made) {
            for (std::size_t i = 1; i < input.threads.size(); ++i) {
              const std::string element = "star/" + input.threads[i];
              made.element(element);
              made.path({i, "to-centre", PathUse::write, element});
              made.path({0, "from/" + input.threads[i], PathUse::read, element});
            }
          }};
}

}  // namespace example
