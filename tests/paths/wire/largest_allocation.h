#pragma once

#include <cstddef>

namespace eventspace::test {

/// The largest piece of memory that this thread allocates while there is one of these, in a program that
/// largest_allocation.cpp is part of.
class LargestAllocation {
 public:
  LargestAllocation() noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
};

}  // namespace eventspace::test
