#include "scopes/recordings/repair_part.h"

#include <gtest/gtest.h>

#include <random>

namespace eventspace::recording {
namespace {

std::vector<std::byte> random_body(std::size_t size, std::mt19937& chance) {
  std::vector<std::byte> body(size);
  for (std::byte& octet : body) octet = static_cast<std::byte>(chance());
  return body;
}

TEST(RepairPartTest, DamageInOnePlaceThatIsNoLongerThanAPieceIsMadeGood) {
  std::mt19937 chance(4711);
  for (int round = 0; round < 2000; ++round) {
    const auto body = random_body(1 + chance() % 3000, chance);
    const std::uint16_t pieces = pieces_of(body.size());
    std::vector<std::byte> stored = body;
    write_repair(body, pieces, stored);
    ASSERT_EQ(stored.size(), body.size() + repair_bytes(body.size(), pieces));
    const std::size_t longest = (body.size() + pieces - 1) / pieces;
    const std::size_t length = 1 + chance() % longest;
    const std::size_t at = chance() % (body.size() - length + 1);
    for (std::size_t i = at; i < at + length; ++i) stored[i] ^= static_cast<std::byte>(1 + chance() % 255);
    const std::span<std::byte> read = std::span(stored).first(body.size());
    const bool is_mended = mend(read, Bytes(stored).subspan(body.size()), pieces);
    EXPECT_TRUE(is_mended) << body.size() << " bytes, " << length << " at " << at;
    EXPECT_TRUE(std::ranges::equal(read, body)) << body.size() << " bytes, " << length << " at " << at;
  }
}

TEST(RepairPartTest, TooMuchDamageIsRefusedAndChangesNothing) {
  std::mt19937 chance(1);
  const auto body = random_body(1000, chance);
  std::vector<std::byte> repair;
  write_repair(body, 20, repair);
  auto damaged = body;
  damaged[0] ^= std::byte{1};
  damaged[4 * 50] ^= std::byte{1};  // in the same stripe
  const auto before = damaged;
  EXPECT_FALSE(mend(damaged, repair, 20));
  EXPECT_EQ(damaged, before);
  EXPECT_FALSE(mend(damaged, Bytes(repair).first(repair.size() - 1), 20)) << "cut off";
}

TEST(RepairPartTest, ItTakesAThirtiethOfALargeBodyAndLittleOfASmallOne) {
  const auto bytes_for = [](std::size_t stored) { return repair_bytes(stored, pieces_of(stored)); };
  EXPECT_LT(bytes_for(300'000), 300'000u / 30);
  EXPECT_LT(bytes_for(300), 110u);
  EXPECT_LE(bytes_for(1), 5u);
}

}  // namespace
}  // namespace eventspace::recording
