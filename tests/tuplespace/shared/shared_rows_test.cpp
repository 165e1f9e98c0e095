#include "tuplespace/shared/shared_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace eventspace::shared_element {
namespace {

/// At most 16 tuples in 32 rows and an arena of 512 bytes.
class SharedRowsTest : public testing::Test {
 protected:
  static std::vector<std::byte> octets(std::size_t count) {
    std::vector<std::byte> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::byte>(i);
    return made;
  }
  std::vector<std::byte> read(std::uint32_t number) {
    const SharedRows::Halves halves = rows.bytes_of(rows.kept(number));
    std::vector<std::byte> bytes(halves.first.begin(), halves.first.end());
    bytes.insert(bytes.end(), halves.second.begin(), halves.second.end());
    return bytes;
  }
  [[nodiscard]] Row& row(std::uint32_t number) {
    return *(reinterpret_cast<Row*>(bytes() + sizeof(Head)) + number);
  }
  [[nodiscard]] std::byte* bytes() { return reinterpret_cast<std::byte*>(memory_.data()); }

  Geometry geometry{{"rows", {FieldType::text}, 16}, 200};

 private:
  std::vector<Row> memory_ = std::vector<Row>(geometry.total / sizeof(Row));

 protected:
  SharedRows rows{bytes(), geometry};
};

TEST_F(SharedRowsTest, ASmallTupleLiesInItsRow) {
  EXPECT_EQ(rows.write(3, 7, 100, {octets(20), {}}), 100u) << "the arena is not used";
  const SharedRows::Kept kept = rows.kept(3);
  EXPECT_EQ(kept.sequence, 7u);
  EXPECT_EQ(kept.end(), 100u);
  EXPECT_EQ(read(3), octets(20));
}

TEST_F(SharedRowsTest, ALargeTupleMayLieInTwoPieces) {
  const auto position = static_cast<std::uint32_t>(geometry.arena) - 30;
  EXPECT_EQ(rows.write(3, 7, position, {octets(80), {}}), position + 80);
  EXPECT_EQ(rows.kept(3).end(), position + 80);
  EXPECT_EQ(rows.bytes_of(rows.kept(3)).second.size(), 50u);
  EXPECT_EQ(read(3), octets(80));
  rows.write(4, 8, position + 80, rows.bytes_of(rows.kept(3)));
  EXPECT_EQ(read(4), octets(80)) << "copied from two pieces";
}

TEST_F(SharedRowsTest, RowNumbersWrapAround) {
  rows.write(5, 1, 0, {octets(8), {}});
  EXPECT_EQ(rows.kept(5 + static_cast<std::uint32_t>(geometry.rows)).sequence, 1u);
  rows.mark_gone(5);
  EXPECT_TRUE(rows.kept(5).gone);
}

TEST_F(SharedRowsTest, AnImpossibleSizeIsDamage) {
  rows.write(0, 1, 0, {octets(8), {}});
  row(0).size = 201;
  EXPECT_THROW((void)rows.kept(0), Damage);
}

}  // namespace
}  // namespace eventspace::shared_element
