#include "paths/parameters/sizes.h"

#include <gtest/gtest.h>

namespace eventspace {
namespace {

TEST(Bytes, HaveUnits) {
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("2MB"), 2'000'000);
  EXPECT_EQ(parse_bytes("17"), 17);
  for (const auto* text : {"", "KiB", "-1", "1.5MiB", "1 MiB", "1TiB", "99999999999GiB"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  EXPECT_EQ(format_bytes(65536), "64KiB");
  EXPECT_EQ(format_bytes(1000), "1000");
}

}  // namespace
}  // namespace eventspace
