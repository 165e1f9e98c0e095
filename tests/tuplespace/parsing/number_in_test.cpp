#include "tuplespace/parsing/number_in.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace eventspace {
namespace {

TEST(NumberIn, TheWholeTextIsTheNumber) {
  EXPECT_EQ(number_in<std::uint32_t>("42"), 42U);
  EXPECT_EQ(number_in<std::int32_t>("-7"), -7);
  EXPECT_EQ(number_in<std::uint64_t>("7f1c", 16), 0x7f1cU);
  EXPECT_EQ(number_in<double>("2.5e3"), 2500.0);
  for (const char* const text : {"", " 42", "42 ", "+42", "4x", "x4", "-42", "4294967296"})
    EXPECT_EQ(number_in<std::uint32_t>(text), std::nullopt) << text;
}

TEST(NumberIn, ANumberAtTheFrontIsTakenAway) {
  std::string_view text = "12ms";
  EXPECT_EQ(take_number<double>(text), 12.0);
  EXPECT_EQ(text, "ms");
  EXPECT_EQ(take_number<double>(text), std::nullopt);
  EXPECT_EQ(text, "ms");
}

TEST(NumberIn, TheLeadingNumberIsZeroWithoutOne) {
  EXPECT_EQ(leading_number<std::int32_t>("4711 (name) S"), 4711);
  EXPECT_EQ(leading_number<std::int32_t>("name"), 0);
  EXPECT_EQ(leading_number<std::int32_t>("99999999999"), 0);
}

}  // namespace
}  // namespace eventspace
