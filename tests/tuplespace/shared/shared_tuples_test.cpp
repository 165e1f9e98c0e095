#include "tuplespace/shared/shared_tuples.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tuplespace/element_talk.h"

namespace eventspace::shared_element {
namespace {

const Signature signature{FieldType::text};

/// An element of texts with room for 200 bytes, in the memory of this process. It keeps at most 16 tuples in
/// 32 rows and an arena of 512 bytes.
class SharedTuplesTest : public testing::Test {
 protected:
  SharedTuplesTest() { begin_anew(); }

  [[nodiscard]] SharedTuples tuples() { return {bytes(), geometry, signature}; }

  static constexpr std::size_t small = 20;  // lies in a row
  static constexpr std::size_t large = 50;  // lies in the arena
  /// A tuple of `bytes` bytes, which differs from tuples of other numbers.
  static Tuple tuple(std::uint64_t number, std::size_t bytes) {
    const std::size_t around = bytes > 33 ? 3 : 2;
    return Tuple::of({std::string(bytes - around, static_cast<char>('a' + number % 26))});
  }
  void begin_anew() { memory_ = std::vector<Row>(geometry.total / sizeof(Row)); }

  void write(const Tuple& tuple) {
    SharedTuples change = tuples();
    ASSERT_TRUE(change.has_room(tuple.encoded().size()));
    change.append(tuple.encoded());
    change.commit();
  }
  void take(std::uint64_t sequence) {
    SharedTuples change = tuples();
    const auto found = change.find_number(sequence);
    ASSERT_TRUE(found) << sequence;
    change.take(*found);
    change.commit();
  }
  [[nodiscard]] std::vector<Tuple> kept() {
    std::vector<Tuple> all;
    const SharedTuples now = tuples();
    Operation next = test::fetch_of(Verb::read, From::after);
    for (auto found = now.find(next); found; found = now.find(next)) {
      next.sequence = found->sequence;
      all.push_back(std::move(found->tuple));
    }
    return all;
  }

  /// Returns the damage that `use` finds; empty if none.
  template <class Use>
  static std::string fault_of(Use use) {
    try {
      use();
      return "";
    } catch (const Damage& damage) {
      return damage.what;
    }
  }

  Head& head() { return *reinterpret_cast<Head*>(bytes()); }
  Ledger& ledger() { return head().control.ledgers[head().control.active & second_ledger]; }
  Account& account() { return head().accounts[(head().control.active & second_account) != 0 ? 1 : 0]; }
  Row& row(std::size_t place) { return reinterpret_cast<Row*>(bytes() + sizeof(Head))[place]; }
  std::byte* arena() { return bytes() + geometry.arena_offset(); }

  const Geometry geometry{{"e", signature, 16}, 200};

 private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(memory_.data()); }

  std::vector<Row> memory_;
};

// With 4 small tuples in rows, or 4 large tuples that fill the room. Tuples that are taken after a kept one
// leave gaps, which use up rows and arena.
TEST_F(SharedTuplesTest, WhatIsKeptSurvivesAnyUseOfTheMemoryBehindIt) {
  for (const std::size_t bytes : {small, large}) {
    begin_anew();
    for (std::uint64_t n = 1; n <= 100; ++n) {
      write(tuple(n, bytes));
      if (n <= 3) continue;
      take(n - 2);
      ASSERT_EQ(kept(), (std::vector{tuple(1, bytes), tuple(n - 1, bytes), tuple(n, bytes)})) << n;
    }
  }
}

TEST_F(SharedTuplesTest, AWriteWithoutItsCommitChangesNothingHoweverFullTheMemoryIs) {
  for (const std::size_t bytes : {small, large}) {
    begin_anew();
    for (std::uint64_t n = 1; n <= 100; ++n) {
      const std::vector<Tuple> before = kept();
      const Tuple next = tuple(n, bytes);
      tuples().append(next.encoded());  // as if the process were killed before the commit
      ASSERT_EQ(kept(), before) << n;
      write(next);
      if (n > 3) take(n - 2);
    }
  }
}

TEST_F(SharedTuplesTest, NothingIsCopiedWhileThereIsSpace) {
  for (std::uint64_t n = 1; n <= 4; ++n) write(tuple(n, large));
  EXPECT_EQ(ledger().first, 0u);
  EXPECT_EQ(ledger().end, 4u);
}

// --- memory that another process has overwritten -----------------------------------------------------------

TEST_F(SharedTuplesTest, CountsAboveTheirBoundsAreDamage) {
  const auto fault_with = [this](std::uint32_t end, std::uint32_t gaps, std::uint32_t kept_bytes) {
    ledger().end = end;
    account().gaps = gaps;
    ledger().kept_bytes = kept_bytes;
    return fault_of([this] { (void)tuples(); });
  };
  EXPECT_EQ(fault_with(16, 0, 200), "");
  EXPECT_EQ(fault_with(16, 0, 201), "its counts") << "more bytes than there is room for";
  EXPECT_EQ(fault_with(17, 0, 200), "its counts") << "more tuples than are kept";
  EXPECT_EQ(fault_with(32, 32, 0), "");
  EXPECT_EQ(fault_with(33, 33, 0), "its counts") << "more rows than there are";
  EXPECT_EQ(fault_with(0, UINT32_MAX, 0), "its counts") << "more gaps than rows";
}

// The arena is larger than the room, so it can hold a whole tuple that is too large.
TEST_F(SharedTuplesTest, ATupleLargerThanTheRoomIsDamage) {
  write(tuple(1, 200));
  EXPECT_EQ(kept(), std::vector{tuple(1, 200)}) << "one that fills the room is none";
  arena()[2] = std::byte{198};  // the size of the text
  row(0).size = 201;
  SharedTuples change = tuples();
  EXPECT_EQ(fault_of([&] { (void)change.find(test::fetch_of(Verb::read)); }), "the size of a tuple");
  EXPECT_EQ(fault_of([&] { change.discard_oldest(); }), "the size of a tuple");
  EXPECT_EQ(fault_of([&] { change.append(tuple(2, large).encoded()); }), "the size of a tuple");
}

}  // namespace
}  // namespace eventspace::shared_element
