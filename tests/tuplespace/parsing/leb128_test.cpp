#include "tuplespace/parsing/leb128.h"

#include <gtest/gtest.h>

#include <vector>

namespace eventspace::leb128 {
namespace {

std::vector<std::byte> written(std::uint64_t number) {
  std::vector<std::byte> bytes;
  write(number, [&bytes](std::byte byte) { bytes.push_back(byte); });
  return bytes;
}

TEST(Leb128, ANumberIsReadAsItWasWritten) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{624485}, ~std::uint64_t{0}}) {
    const auto bytes = written(number);
    std::span<const std::byte> left(bytes);
    EXPECT_EQ(take(left), number);
    EXPECT_TRUE(left.empty());
  }
  EXPECT_EQ(written(624485), (std::vector{std::byte{0xe5}, std::byte{0x8e}, std::byte{0x26}}));
}

TEST(Leb128, ANumberThatEndsTooEarlyOrIsTooLongIsRefused) {
  const std::vector<std::byte> endless(11, std::byte{0x80});
  std::span<const std::byte> left(endless);
  EXPECT_EQ(take(left), std::nullopt);
  left = std::span(endless).first(2);
  EXPECT_EQ(take(left), std::nullopt);
  EXPECT_EQ(take(left), std::nullopt);
}

}  // namespace
}  // namespace eventspace::leb128
