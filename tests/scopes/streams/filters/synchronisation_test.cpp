#include "scopes/streams/filters/synchronisation.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include <eventspace/packet.h>
#include <eventspace/streams.h>

// Waves: which packets belong together, and which end-points are missing.

namespace eventspace::streams {
namespace {

using namespace std::chrono_literals;
using Clock = Synchronisation::Clock;

/// Three children with the ranks 0-1, 2-3 and 4.
class SynchronisationTest : public testing::Test {
 protected:
  void begin(Synchronise how) {
    waves.emplace(how, 10ms);
    waves->join(0, RankSet::of_range(0, 1));
    waves->join(1, RankSet::of_range(2, 3));
    waves->join(2, RankSet::of_range(4, 4));
  }
  void send(Child child, std::uint64_t wave, std::string_view missing = "") {
    Packet packet = Format<std::uint32_t>::make(0, child);
    packet.wave = wave;
    packet.ranks = *RankSet::parse(missing);
    waves->add(child, std::move(packet), now);
  }
  /// "NUMBER: CHILDREN, without MISSING"; empty without a wave.
  std::string next() {
    const auto wave = waves->next(now);
    if (!wave) return {};
    std::string text = std::to_string(wave->number) + ":";
    for (const Contribution& one : wave->packets) text += " " + std::to_string(one.child);
    if (!wave->missing.empty()) text += ", without " + wave->missing.to_text();
    return text;
  }

  std::optional<Synchronisation> waves;
  Clock::time_point now{1h};
};

TEST_F(SynchronisationTest, AWaveIsCompleteWhenEachChildHasSentOne) {
  begin(Synchronise::wait_for_all);
  send(2, 0);
  send(0, 0);
  EXPECT_EQ(next(), "");
  send(0, 1);
  send(1, 0);
  EXPECT_EQ(next(), "0: 0 1 2");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(waves->inputs().held(0), 1u);
  EXPECT_FALSE(waves->due());
}

TEST_F(SynchronisationTest, ANewChildIsNotWaitedForInWavesWhosePacketsItHasNotGot) {
  begin(Synchronise::wait_for_all);
  send(0, 0);
  send(1, 0);
  waves->inputs().leave(2);
  waves->join(3, RankSet::of_range(4, 4), 2);
  EXPECT_EQ(next(), "0: 0 1, without 4");
  send(0, 1);
  send(1, 1);
  EXPECT_EQ(next(), "1: 0 1, without 4");
  send(0, 2);
  send(1, 2);
  EXPECT_EQ(next(), "") << "it has got the packet of this wave";
  send(3, 2);
  EXPECT_EQ(next(), "2: 0 1 3");
}

TEST_F(SynchronisationTest, WhatAChildMissesThatIsBelowAnotherOneNowIsNotMissing) {
  begin(Synchronise::wait_for_all);
  waves->join(0, RankSet::of_range(0, 0));
  waves->join(3, RankSet::of_range(1, 1));
  send(0, 0, "1");
  send(1, 0);
  send(2, 0);
  send(3, 0);
  EXPECT_EQ(next(), "0: 0 3 1 2");
}

TEST_F(SynchronisationTest, WhatWasSentBeforeAnEndPointMovedIsNotMissingThoughTheOneThatHasItNowSaysSo) {
  begin(Synchronise::wait_for_all);
  waves->join(0, RankSet::of_range(0, 0));  // 1 has moved from child 0 to child 1
  waves->join(1, RankSet::of_range(1, 3));
  send(0, 0);
  send(1, 0, "1");
  send(2, 0);
  EXPECT_EQ(next(), "0: 0 1 2") << "sent when 1 was there";
  send(0, 1, "1");
  send(1, 1, "1");
  send(2, 1);
  EXPECT_EQ(next(), "1: 0 1 2, without 1");
  waves->inputs().forget(RankSet::of_range(1, 1));
  send(0, 2);
  send(1, 2, "1");
  send(2, 2);
  EXPECT_EQ(next(), "2: 0 1 2, without 1") << "the child 0 has no reason to name what takes no part";
}

TEST_F(SynchronisationTest, WhatAChildHasTakenInIsInItsPacketsBeforeItsFormerParentIsKnownToBeGone) {
  begin(Synchronise::time_out);
  send(1, 0);
  waves->inputs().claim(1, RankSet::of_range(0, 1));
  send(1, 1, "1");
  send(1, 2);
  now += 20ms;
  EXPECT_EQ(next(), "0: 1, without 0-1,4") << "sent before it had taken them in";
  EXPECT_EQ(next(), "1: 1, without 1,4");
  waves->inputs().leave(0);
  waves->join(1, RankSet::of_range(0, 3));
  EXPECT_EQ(next(), "2: 1, without 4");
}

TEST_F(SynchronisationTest, WhatIsMissingBelowIsMissingInTheWave) {
  begin(Synchronise::wait_for_all);
  send(0, 0, "1");
  send(1, 0, "2");
  send(2, 0);
  EXPECT_EQ(next(), "0: 0 1 2, without 1-2");
}

TEST_F(SynchronisationTest, AfterTheTimeOutAWaveNamesThoseThatAreMissing) {
  begin(Synchronise::time_out);
  send(0, 0);
  now += 9ms;
  send(2, 0);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(*waves->due(), now + 1ms);
  now += 1ms;
  EXPECT_EQ(next(), "0: 0 2, without 2-3");
  EXPECT_FALSE(waves->due());
  send(1, 0);
  EXPECT_EQ(waves->late(), 1u) << "its wave has gone";
  send(1, 1);
  send(0, 1);
  send(2, 1);
  EXPECT_EQ(next(), "1: 0 1 2") << "the one that was late is back";
}

TEST_F(SynchronisationTest, AStoppedChildDelaysNoWaveBeyondTheTimeOut) {
  begin(Synchronise::time_out);
  for (std::uint64_t wave = 0; wave < 3; ++wave) {
    send(0, wave);
    send(2, wave);
    now += 5ms;
  }
  EXPECT_EQ(next(), "0: 0 2, without 2-3");
  EXPECT_EQ(next(), "1: 0 2, without 2-3");
  EXPECT_EQ(next(), "") << "5 ms after its first packet";
  now += 5ms;
  EXPECT_EQ(next(), "2: 0 2, without 2-3");
}

TEST_F(SynchronisationTest, WithoutWaitingEachPacketPassesAtOnce) {
  begin(Synchronise::do_not_wait);
  send(1, 7);
  EXPECT_EQ(next(), "7: 1");
  send(0, 3, "0");
  send(0, 1);
  EXPECT_EQ(next(), "3: 0, without 0");
  EXPECT_EQ(next(), "1: 0");
  EXPECT_EQ(next(), "");
}

TEST_F(SynchronisationTest, ALostPacketDoesNotShiftTheWavesAfterIt) {
  begin(Synchronise::wait_for_all);
  send(0, 0);
  send(1, 1);  // its wave 0 was lost
  send(2, 0);
  EXPECT_EQ(next(), "0: 0 2, without 2-3");
  send(0, 1);
  send(2, 1);
  EXPECT_EQ(next(), "1: 0 1 2");
}

TEST_F(SynchronisationTest, WavesGoOnWithoutAChildThatHasLeftAndSaySo) {
  begin(Synchronise::wait_for_all);
  send(1, 0);
  waves->inputs().leave(1);
  send(0, 0);
  send(2, 0);
  EXPECT_EQ(next(), "0: 0 1 2") << "it has sent this one";
  send(0, 1);
  EXPECT_EQ(next(), "");
  send(2, 1);
  EXPECT_EQ(next(), "1: 0 2, without 2-3");
  waves->join(3, RankSet::of_range(2, 2));
  send(0, 2);
  send(3, 2);
  send(2, 2);
  EXPECT_EQ(next(), "2: 0 3 2, without 3") << "one of its end-points is back, in its place";
  waves->inputs().forget(RankSet::of_range(3, 3));
  waves->inputs().leave(3);
  waves->inputs().leave(0);
  send(2, 3);
  EXPECT_EQ(next(), "3: 2, without 0-2");
}

TEST_F(SynchronisationTest, TheLeaveOfTheLastOneWaitedForCompletesTheWave) {
  begin(Synchronise::wait_for_all);
  send(0, 0);
  send(2, 0);
  waves->inputs().leave(1);
  EXPECT_EQ(next(), "0: 0 2, without 2-3");
  waves->inputs().leave(0);
  waves->inputs().leave(2);
  EXPECT_EQ(next(), "");
  send(0, 1);
  EXPECT_EQ(waves->late(), 1u) << "it has left";
}

TEST_F(SynchronisationTest, AChildThatGetsAnotherLeastRankMovesInTheOrder) {
  begin(Synchronise::wait_for_all);
  waves->join(5, RankSet::of_range(9, 9));
  send(5, 0);
  waves->join(5, RankSet::of_range(3, 3) | RankSet::of_range(9, 9));
  for (const Child child : {0U, 1U, 2U}) send(child, 0);
  EXPECT_EQ(next(), "0: 0 1 5 2, without 3") << "its packet is older";
}

TEST_F(SynchronisationTest, AChildThatHasLostItsPartOfAWaveIsNotWaitedForAndMissingInIt) {
  begin(Synchronise::wait_for_all);
  const auto lose = [&](Child child, std::uint64_t wave) {
    waves->add(child, {.wave = wave, .lost = true}, now);
  };
  lose(1, 0);
  send(0, 0);
  send(2, 0);
  EXPECT_EQ(next(), "0: 0 2, without 2-3");
  for (const Child child : {0U, 1U, 2U}) lose(child, 1);
  EXPECT_EQ(next(), "1:, without 0-4") << "a wave without packets";
  for (const Child child : {0U, 1U, 2U}) send(child, 2);
  EXPECT_EQ(next(), "2: 0 1 2");
  EXPECT_EQ(waves->late(), 0u);
}

TEST_F(SynchronisationTest, LostWavesAreNothingWhereNobodyWaits) {
  begin(Synchronise::do_not_wait);
  waves->add(1, {.wave = 0, .lost = true}, now);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(waves->inputs().held(1), 0u);
}

// --- generations ----------------------------------------------------------------------------------------

/// Child 0 is a process with children; 1 and 2 are back-ends.
class GenerationTest : public SynchronisationTest {
 protected:
  void begin_with_process(Synchronise how) {
    waves.emplace(how, 10ms);
    waves->join(0, RankSet::of_range(0, 1), 0, true);
    waves->join(1, RankSet::of_range(2, 2));
    waves->join(2, RankSet::of_range(3, 3));
  }
  void send_of(std::uint32_t generation, std::uint64_t wave) {
    waves->add(0, {.wave = wave, .generation = generation}, now);
  }
  void end(std::uint32_t generation) { waves->add(0, {.ends = true, .generation = generation}, now); }
  /// The generation of the next wave, and the wave.
  std::string next_of_generation() {
    const auto ended = waves->take_end(now);
    if (ended) return "end of " + std::to_string(*ended);
    const auto wave = waves->next(now);
    return wave ? std::to_string(wave->generation) + "/" + std::to_string(wave->number) : "";
  }
};

TEST_F(GenerationTest, WavesFromABorderOnAreOfTheNextOne) {
  begin(Synchronise::wait_for_all);
  for (std::uint64_t wave = 0; wave < 4; ++wave) {
    for (const Child child : {0U, 1U, 2U}) send(child, wave);
  }
  EXPECT_EQ(next_of_generation(), "1/0");
  waves->hold(true);
  EXPECT_EQ(next_of_generation(), "");
  EXPECT_FALSE(waves->due());
  EXPECT_EQ(waves->inputs().next_of_back_ends(), 1u);
  waves->hold(false);
  waves->generations().begin(2, 3, true);
  EXPECT_EQ(next_of_generation(), "1/1");
  EXPECT_EQ(next_of_generation(), "1/2");
  EXPECT_EQ(next_of_generation(), "end of 1");
  EXPECT_EQ(next_of_generation(), "2/3");
  EXPECT_EQ(next_of_generation(), "");
}

TEST_F(GenerationTest, AWaveIsOfOneGenerationThoughProcessesBelowCountDifferently) {
  begin_with_process(Synchronise::wait_for_all);
  waves->generations().begin(2, 1, false);
  send_of(1, 0);
  send(1, 0);
  send(2, 0);
  EXPECT_EQ(next_of_generation(), "1/0");
  for (const Child child : {1U, 2U}) send(child, 1);
  EXPECT_EQ(next_of_generation(), "") << "the process may have more of the first generation";
  end(1);
  send_of(2, 1);
  EXPECT_EQ(next_of_generation(), "end of 1");
  EXPECT_EQ(next_of_generation(), "2/1");
  EXPECT_EQ(waves->late(), 0u);
}

TEST_F(GenerationTest, ABackEndThatJoinedAfterABorderHoldsUpNoGenerationBeforeIt) {
  waves.emplace(Synchronise::wait_for_all, 10ms);
  waves->join(1, RankSet::of_range(2, 2));
  waves->generations().begin(2, 10, true);
  waves->join(2, RankSet::of_range(3, 3), 20);
  send(1, 10);  // it has lost the earlier ones
  EXPECT_EQ(next_of_generation(), "end of 1");
  EXPECT_EQ(next_of_generation(), "2/10");
}

TEST_F(GenerationTest, WhatWasMadeByTheWrongFiltersIsLate) {
  begin_with_process(Synchronise::wait_for_all);
  waves->generations().begin(2, 5, true);
  send_of(1, 5);  // its parent died, and it learned the border too late
  send_of(7, 5);  // unknown generation
  EXPECT_EQ(waves->late(), 2u);
  EXPECT_EQ(waves->inputs().held(0), 0u);
}

TEST_F(GenerationTest, AStoppedProcessDelaysTheNextGenerationByTheTimeOut) {
  begin_with_process(Synchronise::time_out);
  waves->generations().begin(2, 0, true);
  for (const Child child : {1U, 2U}) send(child, 0);
  EXPECT_EQ(next_of_generation(), "");
  now += 10ms;
  EXPECT_EQ(next_of_generation(), "end of 1");
  EXPECT_EQ(next_of_generation(), "2/0");
}

TEST_F(GenerationTest, WithoutWavesEachPacketIsOfItsOwnGeneration) {
  begin_with_process(Synchronise::do_not_wait);
  send_of(1, 9);
  waves->generations().begin(2, 0, true);
  end(1);
  send(1, 3);
  send_of(2, 4);
  EXPECT_EQ(next_of_generation(), "1/9");
  EXPECT_EQ(next_of_generation(), "end of 1");
  EXPECT_EQ(next_of_generation(), "2/4");
  EXPECT_EQ(next_of_generation(), "2/3");
  EXPECT_EQ(next_of_generation(), "");
}

// --- rules ----------------------------------------------------------------------------------------------

/// Passes on the child whose oldest packet is the newest, 5 ms after it came.
class NewestFirst final : public WaveRule {
 public:
  Choice choose(std::span<const Waiting> waiting, Clock::time_point at) override {
    const Waiting* newest = nullptr;
    for (const Waiting& one : waiting) {
      if (one.first != nullptr && (newest == nullptr || one.came > newest->came)) newest = &one;
    }
    due_ = newest->came + 5ms;
    if (newest->first->tag == 13) throw std::runtime_error("no");
    if (at < *due_) return {.pass = {99}};  // unknown child, so no packet
    return {.pass = {newest->child}};
  }
  [[nodiscard]] std::optional<Clock::time_point> due() const override { return due_; }

 private:
  std::optional<Clock::time_point> due_;
};

TEST_F(SynchronisationTest, ARuleChoosesTheWavesWhichAreCounted) {
  waves.emplace(std::make_unique<NewestFirst>());
  for (Child child = 0; child < 3; ++child) waves->join(child, RankSet::of_range(child, child));
  EXPECT_FALSE(waves->due());
  send(1, 40);
  now += 1ms;
  send(2, 7);
  EXPECT_EQ(next(), "");
  EXPECT_EQ(*waves->due(), now + 5ms);
  now += 5ms;
  EXPECT_EQ(next(), "0: 2, without 0-1");
  EXPECT_EQ(next(), "1: 1, without 0,2") << "the number of a packet does not matter";
  waves->inputs().leave(2);
  send(0, 0, "0");
  EXPECT_EQ(next(), "");
  now += 5ms;
  EXPECT_EQ(next(), "2: 0, without 0-2");
}

TEST_F(SynchronisationTest, ARuleThatIsDueInThePastIsNotAskedAllTheTime) {
  waves.emplace(std::make_unique<NewestFirst>());
  waves->join(0, RankSet::of_range(0, 0));
  send(0, 0);
  EXPECT_EQ(next(), "");
  now += 4ms + 900us;
  EXPECT_EQ(next(), "");
  EXPECT_EQ(*waves->due(), now + 1ms);
}

TEST_F(SynchronisationTest, ARuleThatThrowsLosesTheOldestPackets) {
  waves.emplace(std::make_unique<NewestFirst>());
  for (Child child = 0; child < 2; ++child) waves->join(child, RankSet::of_range(child, child));
  waves->add(0, {.tag = 13}, now);
  send(1, 0);
  send(1, 1);
  EXPECT_THROW((void)waves->next(now), std::runtime_error);
  EXPECT_EQ(waves->late(), 2u);
  now += 5ms;
  EXPECT_EQ(next(), "0: 1, without 0");
}

// Compared with the definition: each wave has the packets of its number, in order, and each packet that was
// sent is in its wave, counted as late, or held.
TEST(SynchronisationPropertyTest, EachPacketIsInItsWaveOrCountedAsLate) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const auto children = static_cast<Child>(1 + random() % 6);
    Synchronisation waves(round % 2 == 0 ? Synchronise::time_out : Synchronise::wait_for_all, 3ms);
    for (Child child = 0; child < children; ++child) waves.join(child, RankSet::of_range(child, child));
    std::vector<std::uint64_t> next(children);
    Clock::time_point now{1h};
    std::uint64_t sent = 0;
    std::uint64_t passed = 0;
    std::uint64_t expected = 0;
    for (int step = 0; step < 300; ++step) {
      const auto child = static_cast<Child>(random() % children);
      now += std::chrono::milliseconds(random() % 2);
      Packet packet;
      packet.wave = next[child]++ + random() % 10 / 9;  // one in ten is lost
      next[child] = packet.wave + 1;
      waves.add(child, std::move(packet), now);
      ++sent;
      while (const auto wave = waves.next(now)) {
        EXPECT_GE(wave->number, expected);
        expected = wave->number + 1;
        EXPECT_EQ(wave->packets.size() + wave->missing.size(), children);
        for (const Contribution& one : wave->packets) {
          EXPECT_EQ(one.packet.wave, wave->number);
          EXPECT_FALSE(wave->missing.contains(one.child));
          ++passed;
        }
      }
    }
    std::uint64_t held = 0;
    for (Child child = 0; child < children; ++child) held += waves.inputs().held(child);
    EXPECT_EQ(passed + held + waves.late(), sent);
  }
}

}  // namespace
}  // namespace eventspace::streams
