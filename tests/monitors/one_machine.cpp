#include "tests/monitors/ground.h"

namespace eventspace::testing_commands {

std::unique_ptr<Ground> make_ground(const std::filesystem::path& /*directory*/) {
  return std::make_unique<Ground>();
}

}  // namespace eventspace::testing_commands
