#include "scopes/metrics/language/unit.h"

#include <gtest/gtest.h>

namespace eventspace::metrics {
namespace {

TEST(Unit, IsWrittenAsPowersOfBytesAndSeconds) {
  EXPECT_EQ(to_string(no_unit), "1");
  EXPECT_EQ(to_string(second), "s");
  EXPECT_EQ(to_string(*divided(byte, second)), "B/s");
  EXPECT_EQ(to_string(*divided(*divided(no_unit, second), second)), "1/s^2");
  EXPECT_EQ(to_string(*times(byte, *times(second, second))), "B*s^2");
}

TEST(Unit, APowerAboveNineIsNone) {
  Unit unit = second;
  for (int i = 1; i < 9; ++i) unit = *times(unit, second);
  EXPECT_FALSE(times(unit, second));
  EXPECT_TRUE(divided(unit, second));
}

TEST(DisplayUnit, ScalesSecondsAndBytes) {
  EXPECT_EQ(display_unit("ms")->scale, 1e-3);
  EXPECT_EQ(display_unit("MiB/s")->scale, 1048576.0);
  EXPECT_EQ(display_unit("MiB/s")->unit, *divided(byte, second));
  EXPECT_EQ(display_unit("B*s")->unit, *times(byte, second));
  EXPECT_EQ(display_unit("%")->scale, 0.01);
  EXPECT_EQ(display_unit("1/s")->unit, *divided(no_unit, second));
}

TEST(DisplayUnit, OfValuesDividedBySeconds) {
  EXPECT_EQ(per_second(*display_unit("MiB")).label, "MiB/s");
  EXPECT_EQ(per_second(*display_unit("MiB")).scale, 1048576.0);
  EXPECT_EQ(per_second(*display_unit("MiB")).unit, *divided(byte, second));
  EXPECT_EQ(per_second(*display_unit("MiB/s")).label, "MiB/s^2");
  EXPECT_EQ(per_second(*display_unit("B*s")).label, "B");
  EXPECT_EQ(per_second(display_unit(no_unit)).label, "1/s");
  EXPECT_EQ(per_second(*display_unit("iterations")).label, "iterations/s");
  for (const char* const name : {"%", "s", "MiB", "MiB/s", "B*s", "1", "iterations", "iterations/s", "%/s"}) {
    const DisplayUnit divided = per_second(*display_unit(name));
    const auto read = display_unit(divided.label);
    ASSERT_TRUE(read) << divided.label;
    EXPECT_EQ(read->unit, divided.unit) << divided.label;
    EXPECT_EQ(read->scale, divided.scale) << divided.label;
  }
}

TEST(DisplayUnit, OtherWordsAreLabelsOfPlainNumbers) {
  EXPECT_EQ(display_unit("iterations")->unit, no_unit);
  EXPECT_EQ(display_unit("iterations/s")->unit, *divided(no_unit, second));
  EXPECT_EQ(display_unit("iterations/s")->label, "iterations/s");
  EXPECT_FALSE(display_unit(""));
  EXPECT_FALSE(display_unit("a\nb"));
  EXPECT_FALSE(display_unit(std::string(41, 'x')));
}

}  // namespace
}  // namespace eventspace::metrics
