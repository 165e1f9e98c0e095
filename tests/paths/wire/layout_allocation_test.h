#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/paths/wire/largest_allocation.h"
#include "tests/paths/wire/layout_test.h"

// Damaged bodies do not make a decoder allocate much; only for programs that link largest_allocation.cpp.

namespace eventspace::test {

template <class T>
class LayoutAllocationTest : public LayoutTest<T> {};
TYPED_TEST_SUITE_P(LayoutAllocationTest);

TYPED_TEST_P(LayoutAllocationTest, AnyFlippedBitIsReadOrRefusedWithoutLargeAllocations) {
  this->for_bodies(2, [&](std::vector<std::byte> body) {
    constexpr std::size_t most = 64 * 1024;
    for (std::size_t bit = 0; bit < 8 * std::min<std::size_t>(body.size(), 500); ++bit) {
      const auto mask = static_cast<std::byte>(1 << (bit % 8));
      body[bit / 8] ^= mask;
      const LargestAllocation largest;
      (void)this->decoded(body);
      EXPECT_LE(largest.bytes(), most + 64 * body.size()) << "bit " << bit;
      body[bit / 8] ^= mask;
    }
  });
}

REGISTER_TYPED_TEST_SUITE_P(LayoutAllocationTest, AnyFlippedBitIsReadOrRefusedWithoutLargeAllocations);

}  // namespace eventspace::test
