// The start half with words 5 to 7 (TraceWriter::begin_wide): a model like in ring_model.h, which tries every
// interleaving of a writer and a reader of the operation in flight.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "tests/tuplespace/trace/course.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

using test::Course;

/// One head, and slots of four words: 0 is the number, 1 a word of the start half, 2 is word 4 of a real
/// tuple, and 3 is a word that both halves have, with different values.
class WideRing : public test::StoreHistory {
 public:
  enum class Fault { none, ends_with_word_4, leaves_word_4, clears_word_4_late };
  static constexpr std::size_t slots = 3;

  explicit WideRing(std::uint64_t operations, Fault fault = Fault::none)
      : StoreHistory(Memory(1 + slots * 4, 0)) {
    for (std::uint64_t s = 1; s <= operations; ++s) record(s, fault);
  }
  static std::size_t address(std::uint64_t s, std::size_t word) { return 1 + (s - 1) % slots * 4 + word; }
  static std::uint64_t started(std::uint64_t s) { return 10 * s + 1; }
  static std::uint64_t wide(std::uint64_t s) { return 10 * s + 2; }
  static std::uint64_t ended(std::uint64_t s) { return 10 * s + 3; }

 private:
  void record(std::uint64_t s, Fault fault) {
    if (fault == Fault::none || fault == Fault::ends_with_word_4) store(address(s, 2), 0);
    store(address(s, 3), wide(s));
    store(address(s, 1), started(s));
    store(address(s, 0), s);
    if (fault == Fault::clears_word_4_late) store(address(s, 2), 0);
    if (fault == Fault::ends_with_word_4) store(address(s, 3), ended(s));
    store(address(s, 2), 1);
    if (fault != Fault::ends_with_word_4) store(address(s, 3), ended(s));
    store(0, s);
  }
};

struct Begun {
  std::uint64_t number{0}, started{0}, wide{0};
};

/// One attempt of TraceReader::in_flight.
std::optional<Begun> in_flight(Course& course, bool looks_at_word_4_first = false) {
  const std::uint64_t head = course.load(0);
  const auto load = [&](std::size_t word) { return course.load(WideRing::address(head + 1, word)); };
  Begun begun;
  begun.number = load(0);
  begun.started = load(1);
  std::uint64_t end = looks_at_word_4_first ? load(2) : 0;
  begun.wide = load(3);
  if (!looks_at_word_4_first) end = load(2);
  if (end != 0) begun.wide = 0;
  if (course.load(0) != head || begun.number != head + 1) return std::nullopt;
  return begun;
}

struct Outcome {
  bool has_faults{false};
  std::set<std::uint64_t> with{}, without{};  ///< the operations seen with their words, and without
};

Outcome try_all(const WideRing& ring, bool looks_at_word_4_first = false) {
  Outcome outcome;
  Course course(ring, 0, Course::Look::at_each_change);
  do {
    const auto begun = in_flight(course, looks_at_word_4_first);
    if (!begun) continue;
    (begun->wide == 0 ? outcome.without : outcome.with).insert(begun->number);
    const bool is_whole = begun->wide == 0 || begun->wide == WideRing::wide(begun->number);
    if (!is_whole || begun->started != WideRing::started(begun->number)) outcome.has_faults = true;
  } while (course.next());
  return outcome;
}

constexpr std::uint64_t operations = 7;  // twice around and one more

TEST(WideStartModel, TheOperationInFlightHasItsOwnWordsOrNone) {
  const Outcome outcome = try_all(WideRing(operations));
  EXPECT_FALSE(outcome.has_faults);
  EXPECT_EQ(outcome.with.size(), operations);
  EXPECT_EQ(outcome.without.size(), operations);  // while they end
}

TEST(WideStartModel, StoringWord4LastIsFoundOut) {
  EXPECT_TRUE(try_all(WideRing(operations, WideRing::Fault::ends_with_word_4)).has_faults);
}

TEST(WideStartModel, LookingAtWord4FirstIsFoundOut) {
  EXPECT_TRUE(try_all(WideRing(operations), true).has_faults);
}

TEST(WideStartModel, APlainStartHalfHasNoSuchWordsAfterTheFirstRound) {
  const Outcome outcome = try_all(WideRing(operations, WideRing::Fault::leaves_word_4));
  EXPECT_FALSE(outcome.has_faults);
  EXPECT_FALSE(outcome.with.contains(operations));
}

TEST(WideStart, ReadersSeeTheWordsUntilTheEnd) {
  test::RingMemory ring(2);
  TraceWriter writer = ring.writer();
  const TraceReader reader = ring.reader();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    writer.begin_wide(1, 2, 3, 50 + i, 60 + i, 70 + i);
    EXPECT_EQ(reader.in_flight()->words,
              (std::array<std::uint64_t, 8>{i, 1, 2, 3, 0, 50 + i, 60 + i, 70 + i}));
    std::vector<TraceTuple> both;
    EXPECT_TRUE(reader.read_newest(both));
    EXPECT_EQ(both.back().words[7], 70 + i);
    writer.end(4, 5, 6, 7);
    EXPECT_FALSE(reader.in_flight());
    EXPECT_EQ(reader.newest()->words, (std::array<std::uint64_t, 8>{i, 1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(WideStart, APlainStartBehindItHasNone) {
  test::RingMemory ring(1);
  TraceWriter writer = ring.writer();
  for (int i = 0; i < 3; ++i) {
    writer.begin_wide(1, 2, 3, 5, 6, 7);
    writer.end(4, 5, 6, 7);
  }
  writer.begin(1, 2, 3);
  EXPECT_EQ(ring.reader().in_flight()->words, (std::array<std::uint64_t, 8>{4, 1, 2, 3, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace eventspace
