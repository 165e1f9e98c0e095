#pragma once

#include <cstddef>

namespace eventspace::test {

/// Measures the largest allocation of this thread during its lifetime. The program must link
/// largest_allocation.cpp.
class LargestAllocation {
 public:
  LargestAllocation() noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace eventspace::test
