#include "scopes/tree/evaluation_number.h"

#include <atomic>
#include <random>

namespace eventspace {

std::uint64_t new_evaluation_number() {
  static std::atomic<std::uint64_t> last{(std::uint64_t{std::random_device()()} << 32) +
                                         std::random_device()()};
  return ++last;
}

}  // namespace eventspace
