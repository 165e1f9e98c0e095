#include "monitors/text/counted.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

TEST(CountedTest, OneIsSingularAndAllOtherCountsArePlural) {
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(140, "trace element"), "140 trace elements");
  EXPECT_EQ(counted(1, "process"), "1 process");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(2, "box"), "2 boxes");
}

}  // namespace
}  // namespace eventspace
