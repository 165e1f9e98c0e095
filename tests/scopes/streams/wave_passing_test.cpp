#include "scopes/streams/wave_passing.h"

#include <gtest/gtest.h>

#include "tests/scopes/streams/stream_parts.h"

namespace eventspace::streams {
namespace {

using test::kinds;
using test::Process;
using test::queued;

/// The way up of a stream in an internal process with two children, which have the ranks 0 and 1.
class WavePassingTest : public testing::Test {
 protected:
  void open(StreamOptions chosen) {
    options = std::move(chosen);
    passing.emplace(5, options, 1, process.place());
    for (const Child child : {one, other})
      EXPECT_TRUE(passing->join(child, process.children.at(child), process.below.of(child), 0));
  }
  void receive(Child child, std::uint64_t wave, std::int64_t number) {
    passing->receive(child, Process::packet(wave, number), now);
    passing->pump(now);
  }
  /// The packets that are queued to go up.
  std::uint64_t sent() { return passing->flows().up().waiting().packets; }
  const Packet& sent(std::size_t at) { return passing->flows().up().at(at); }

  Process process{Part::internal};
  Child one{process.add(RankSet::of_range(0, 0))};
  Child other{process.add(RankSet::of_range(1, 1))};
  StreamOptions options;
  std::optional<WavePassing> passing;
  WavePassing::Clock::time_point now{WavePassing::Clock::now()};
};

TEST_F(WavePassingTest, AWaveIsCombinedWhenAllChildrenHaveAnswered) {
  open({.up = {{.name = "sum"}}});
  receive(one, 0, 3);
  EXPECT_EQ(sent(), 0U);
  receive(other, 0, 4);
  ASSERT_EQ(sent(), 1U);
  EXPECT_EQ(PacketView(sent(0)).number<std::int64_t>(0), 7);
  EXPECT_EQ(passing->counters().waves, 1U);
}

TEST_F(WavePassingTest, WithoutRoomAboveWavesWait) {
  open({.up = {{.name = "sum"}}, .window = 1});
  for (const std::uint64_t wave : {0, 1}) {
    receive(one, wave, 1);
    receive(other, wave, 1);
    passing->flows().find_child(one)->flow.restart();  // more credit than the children would have
    passing->flows().find_child(other)->flow.restart();
  }
  EXPECT_EQ(sent(), 1U);
  passing->flows().up().sent(1);
  passing->pump(now);
  EXPECT_EQ(sent(), 1U);
  EXPECT_EQ(passing->counters().waves, 2U);
}

TEST_F(WavePassingTest, AWaveThatAFilterRefusesIsMarkedAsLostAndReported) {
  open({.up = {{.name = "sum"}}});
  const std::string text = "no number";
  Packet packet = Format<std::string_view>::make(0, text);
  passing->receive(one, packet, now);
  receive(other, 0, 4);
  ASSERT_EQ(sent(), 1U);
  EXPECT_TRUE(sent(0).lost);
  EXPECT_EQ(sent(0).ranks, RankSet::of_range(0, 1)) << "all are missing";
  EXPECT_EQ(passing->counters().faults, 1U);
  EXPECT_EQ(kinds(queued(process.parent.link())).front(), FrameKind::fault);
}

TEST_F(WavePassingTest, NoWaveWaitsForAChildThatHasLeft) {
  open({.up = {{.name = "sum"}}});
  receive(one, 0, 3);
  EXPECT_TRUE(passing->leave(other));
  EXPECT_FALSE(passing->leave(other));
  passing->pump(now);
  ASSERT_EQ(sent(), 1U);
  EXPECT_EQ(sent(0).ranks, RankSet::of_range(1, 1)) << "it is missing";
  EXPECT_EQ(passing->counters().partial_waves, 1U);
}

TEST_F(WavePassingTest, PacketsBeyondTheCreditAndOfStrangersAreRefused) {
  open({.window = 1});
  passing->receive(one, Process::packet(0), now);
  passing->receive(one, Process::packet(1), now);
  passing->receive(99, Process::packet(0), now);
  EXPECT_EQ(passing->counters().received, 1U);
  EXPECT_EQ(passing->counters().refused, 2U);
}

TEST_F(WavePassingTest, AChildGetsCreditWhenItsWaveWasPassedOn) {
  open({.when_full = WhenFull::drop_oldest, .window = 1});
  receive(one, 0, 1);
  EXPECT_TRUE(queued(process.children.at(one).link).empty());
  receive(other, 0, 1);
  EXPECT_EQ(kinds(queued(process.children.at(one).link)), std::vector{FrameKind::credit});
}

TEST_F(WavePassingTest, OfAnEndedGenerationComeTheRestAndThenTheEnd) {
  open({.up = {{.name = "sum"}}});
  passing->filters().add(2, make_filters({{.name = "count"}}, {}, false, process.parent.place()), 0);
  passing->waves().generations().begin(2, 1, true);
  for (const std::uint64_t wave : {0, 1}) {
    receive(one, wave, 3);
    receive(other, wave, 4);
  }
  ASSERT_EQ(sent(), 3U);
  EXPECT_EQ(PacketView(sent(0)).number<std::int64_t>(0), 7);
  EXPECT_TRUE(sent(1).ends);
  EXPECT_EQ(sent(1).generation, 1U);
  EXPECT_EQ(sent(2).generation, 2U);
}

TEST_F(WavePassingTest, NumbersOfAUsersPacketsAscend) {
  open({});
  passing->send(Process::packet(0), std::nullopt);
  passing->send(Process::packet(0), 7);
  passing->send(Process::packet(0), 3);
  EXPECT_EQ(sent(0).wave, 0U);
  EXPECT_EQ(sent(1).wave, 7U);
  EXPECT_EQ(sent(2).wave, 8U);
}

}  // namespace
}  // namespace eventspace::streams
