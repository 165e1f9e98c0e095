#include "apps/windtunnel/gas/decomposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace eventspace::windtunnel {
namespace {

TEST(SliceRows, CoverTheTunnelWithSizesThatDifferByAtMostOne) {
  for (const std::size_t rows : {32U, 960U, 7680U})
    for (const std::size_t slices : {1U, 2U, 7U, 31U, 32U}) {
      std::size_t next = 0;
      std::size_t least = rows;
      std::size_t most = 0;
      for (std::size_t i = 0; i < slices; ++i) {
        const auto slice = slice_rows(rows, slices, i);
        EXPECT_EQ(slice.first, next);
        next = slice.last;
        least = std::min(least, slice.size());
        most = std::max(most, slice.size());
      }
      EXPECT_EQ(next, rows);
      EXPECT_GE(least, 1U);
      EXPECT_LE(most - least, 1U);
    }
}

TEST(SliceRows, RefuseMoreSlicesThanRows) {
  EXPECT_THROW(slice_rows(32, 33, 0), std::invalid_argument);
  EXPECT_THROW(slice_rows(32, 0, 0), std::invalid_argument);
  EXPECT_THROW(slice_rows(32, 4, 4), std::invalid_argument);
}

}  // namespace
}  // namespace eventspace::windtunnel
