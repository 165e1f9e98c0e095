#include "monitors/wait_states/wait_states.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "monitors/wait_states/wait_totals.h"
#include "tests/monitors/wait_states/made_run.h"

// Which calls waited, how long, and with which location it began: of made-up runs.
namespace eventspace {
namespace {

using test::MadeRun;
using test::us;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// "late sender: 1 waited 90us for 0", one for each wait.
std::vector<std::string> shown(const RunActivities& run) {
  std::vector<std::string> all;
  for (const WaitState& wait : find_waits(run).waits)
    all.push_back(fmt::format("{}: {} waited {}us for {}", to_string(wait.kind), wait.waiting.location,
                              wait.ns() / us, wait.cause.location));
  return all;
}

TEST(WaitStates, AReceiveThatBeginsBeforeTheSendWaitsForALateSender) {
  MadeRun made(2);
  made.work(0, 100).work(1, 10).send(0, 1).receive(1, 0);
  EXPECT_THAT(shown(made.run), ElementsAre("late sender: 1 waited 90us for 0"));
}

TEST(WaitStates, AReceiveOfAMessageThatWasSentBeforeDoesNotWait) {
  MadeRun made(2);
  made.send(0, 1).work(1, 50).receive(1, 0);
  EXPECT_THAT(shown(made.run), IsEmpty());
}

TEST(WaitStates, ASendThatLastsUntilItsReceiveWaitsForALateReceiver) {
  MadeRun made(2);
  made.work(0, 10).work(1, 70).hand_over(0, 1);
  EXPECT_THAT(shown(made.run), ElementsAre("late receiver: 0 waited 60us for 1"));
}

TEST(WaitStates, ASendThatEndedBeforeItsReceiveBeganDidNotWait) {
  MadeRun made(2);
  const ActivityRef sent = made.call(0, 5, "MPI_Send");
  const ActivityRef received = made.work(1, 100).call(1, 5, "MPI_Recv");
  made.run.link({.kind = WaitKind::late_receiver, .waiting = sent, .cause = received});
  EXPECT_THAT(shown(made.run), IsEmpty());
  EXPECT_EQ(find_waits(made.run).contradictions, 0U);
}

TEST(WaitStates, MembersOfABarrierWaitForTheLast) {
  MadeRun made(3);
  made.work(0, 10).work(1, 40).work(2, 100).meet(WaitKind::barrier);
  EXPECT_THAT(shown(made.run),
              ElementsAre("wait at barrier: 0 waited 90us for 2", "wait at barrier: 1 waited 60us for 2"));
}

TEST(WaitStates, MembersOfAnAllreduceWaitForTheLast) {
  MadeRun made(3);
  made.work(1, 25).meet(WaitKind::n_to_n);
  EXPECT_THAT(shown(made.run),
              ElementsAre("wait at NxN: 0 waited 25us for 1", "wait at NxN: 2 waited 25us for 1"));
}

TEST(WaitStates, OnlyTheRootOfAReductionWaitsAndOnlyForTheLastOfTheOthers) {
  MadeRun early(3);
  early.work(0, 10).work(1, 40).work(2, 100).meet(WaitKind::early_reduce, 3, 0);
  EXPECT_THAT(shown(early.run), ElementsAre("early reduce: 0 waited 90us for 2"));
  MadeRun late(3);
  late.work(0, 100).work(2, 40).meet(WaitKind::early_reduce, 3, 0);
  EXPECT_THAT(shown(late.run), IsEmpty());
}

TEST(WaitStates, MembersOfABroadcastWaitForTheRoot) {
  MadeRun made(3);
  made.work(1, 50).work(2, 80).meet(WaitKind::late_broadcast, 3, 1);
  EXPECT_THAT(shown(made.run), ElementsAre("late broadcast: 0 waited 50us for 1"));
}

TEST(WaitStates, ACallThatAwaitsSeveralMessagesWaitedForTheLast) {
  MadeRun made(3);
  const ActivityRef first = made.work(0, 30).call(0, 1, "MPI_Isend");
  const ActivityRef second = made.work(1, 80).call(1, 1, "MPI_Isend");
  const ActivityRef waiting = made.call(2, 90, "MPI_Waitall");
  made.run.link({.kind = WaitKind::late_sender, .waiting = waiting, .cause = second});
  made.run.link({.kind = WaitKind::late_sender, .waiting = waiting, .cause = first});
  EXPECT_THAT(shown(made.run), ElementsAre("late sender: 2 waited 80us for 1"));
}

TEST(WaitStates, AReadWaitsUntilTheWriteHasEnded) {
  MadeRun made(2);
  const ActivityRef written = made.work(0, 30).call(0, 20, "write");
  const ActivityRef taken = made.call(1, 45, "take");  // its end is published before that of the write
  made.run.link({.kind = WaitKind::late_sender, .needs_end = true, .waiting = taken, .cause = written});
  EXPECT_THAT(shown(made.run), ElementsAre("late sender: 1 waited 45us for 0"));
}

TEST(WaitStates, ACallInFlightHasNoWaitStateButCanBeTheCauseOfOne) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  const ActivityRef in_flight = run.add(0, {.begin_ns = 10 * us, .end_ns = 90 * us, .is_in_flight = true});
  const ActivityRef ended = run.add(1, {.begin_ns = 0, .end_ns = 12 * us});
  run.meet({.kind = WaitKind::barrier, .members = {{in_flight, in_flight}, {ended, ended}}});
  EXPECT_THAT(shown(run), ElementsAre("wait at barrier: 1 waited 10us for 0"));
}

// --- clocks -----------------------------------------------------------------------------------------------

/// A receive that began 100us before its send; the clocks of both have this error.
RunActivities late_by_100us(std::int64_t error_us) {
  RunActivities run;
  run.add_location("rank 0", {.number = 1, .error_ns = error_us * us});
  run.add_location("rank 1", {.number = 2, .error_ns = error_us * us});
  const ActivityRef sent = run.add(0, {.begin_ns = 100 * us, .end_ns = 102 * us});
  const ActivityRef received = run.add(1, {.begin_ns = 0, .end_ns = 105 * us});
  run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  return run;
}

TEST(WaitStates, AWaitThatIsShorterThanTheErrorOfTheClocksHasNoOrigin) {
  const RunActivities run = late_by_100us(60);
  const WaitStates found = find_waits(run);
  ASSERT_THAT(found.waits, SizeIs(1));
  EXPECT_FALSE(found.waits[0].is_certain());
  const WaitTotals totals = sum_waits(run, found);
  EXPECT_EQ(totals.all.waits, 0U);
  EXPECT_EQ(totals.all.ns, 0);
  EXPECT_EQ(totals.all.unclear, 1U);
  EXPECT_EQ(totals.all.unclear_ns, 100 * us);
  ASSERT_THAT(totals.sites, SizeIs(1));
  EXPECT_THAT(totals.sites[0].origins, IsEmpty());
  EXPECT_EQ(totals.locations[0].caused_ns, 0);
}

TEST(WaitStates, AWaitThatIsLongerThanTheErrorIsCertain) {
  const RunActivities run = late_by_100us(40);
  EXPECT_TRUE(find_waits(run).waits.at(0).is_certain());
}

TEST(WaitStates, ClocksWhoseRelationIsNotKnownGiveNoCertainWait) {
  RunActivities run;
  run.add_location("rank 0", {.number = 1, .error_ns = Moment::unbounded});
  run.add_location("rank 1", {.number = 2, .error_ns = 0});
  const ActivityRef sent = run.add(0, {.begin_ns = 100 * us, .end_ns = 102 * us});
  const ActivityRef received = run.add(1, {.begin_ns = 0, .end_ns = 105 * us});
  run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  EXPECT_FALSE(find_waits(run).waits.at(0).is_certain());
}

TEST(WaitStates, AMessageThatWasReceivedBeforeItWasSentIsAContradiction) {
  MadeRun made(2);
  const ActivityRef sent = made.work(0, 500).call(0, 5, "MPI_Send");
  const ActivityRef received = made.call(1, 5, "MPI_Recv");
  made.run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  const WaitStates found = find_waits(made.run);
  EXPECT_EQ(found.contradictions, 1U);
  EXPECT_THAT(found.waits, IsEmpty());
}

// --- totals -----------------------------------------------------------------------------------------------

TEST(WaitTotals, AddUpByKindCallSiteAndLocation) {
  MadeRun made(3);
  for (int i = 0; i < 4; ++i) made.work(0, 100).work(1, 10).send(0, 1).receive(1, 0);
  made.work(2, 1000).meet(WaitKind::barrier);
  const WaitTotals totals = sum_waits(made.run, find_waits(made.run));
  ASSERT_THAT(totals.sites, SizeIs(2));
  EXPECT_EQ(made.run.site_name(totals.sites[0].site), "wait at barrier");
  EXPECT_EQ(totals.sites[0].sum.waits, 2U);
  EXPECT_EQ(made.run.site_name(totals.sites[1].site), "MPI_Recv");
  EXPECT_EQ(totals.sites[1].kind, WaitKind::late_sender);
  EXPECT_EQ(totals.sites[1].sum.waits, 4U);
  ASSERT_THAT(totals.sites[1].waiting, SizeIs(1));
  EXPECT_EQ(totals.sites[1].waiting[0].location, 1U);
  EXPECT_EQ(totals.sites[1].waiting[0].ns, totals.sites[1].sum.ns);
  EXPECT_EQ(totals.locations[0].sum.waits, 1U);
  EXPECT_EQ(totals.locations[1].sum.waits, 5U);
  EXPECT_EQ(totals.locations[2].sum.waits, 0U);
  EXPECT_EQ(totals.all.ns, totals.sites[0].sum.ns + totals.sites[1].sum.ns);
}

TEST(WaitTotals, TheFirstWaitOfACompleteRunHasAnOriginToo) {
  MadeRun begun(2);
  begun.meet(WaitKind::startup);
  begun.work(0, 100).work(1, 10).send(0, 1).receive(1, 0);
  const WaitTotals totals = sum_waits(begun.run, find_waits(begun.run));
  ASSERT_THAT(totals.sites, SizeIs(1));
  ASSERT_THAT(totals.sites[0].origins, SizeIs(1));
  EXPECT_EQ(totals.sites[0].origins[0].location, 0U);
  EXPECT_THAT(totals.locations[0].caused_ns, DoubleNear(90 * us, 1));
  EXPECT_EQ(totals.unknown_ns, 0);
}

// Rank 1 waits for rank 0, and rank 2 therefore for rank 1.
TEST(WaitTotals, AWaitThatPassesThroughAnotherLocationBeganWithTheFirst) {
  MadeRun made(3);
  made.meet(WaitKind::startup);
  for (int round = 0; round < 10; ++round) {
    made.work(0, 1000).work(1, 100).work(2, 100);
    made.send(0, 1).receive(1, 0).send(1, 2).receive(2, 1);
    made.meet(WaitKind::barrier);
  }
  const WaitTotals totals = sum_waits(made.run, find_waits(made.run));
  EXPECT_GT(totals.locations[0].caused_ns, 0.95 * totals.all.ns);
  EXPECT_GT(totals.locations[2].sum.ns, 8000 * us);
  for (const SiteWaits& site : totals.sites) {
    ASSERT_FALSE(site.origins.empty()) << to_string(site.kind);
    EXPECT_EQ(site.origins[0].location, 0U) << to_string(site.kind);
  }
}

TEST(WaitTotals, OriginsBehindAGapAreUnknown) {
  RunActivities run;
  for (const char* const name : {"rank 0", "rank 1"}) run.add_location(name, {});
  const ActivityRef sent = run.add(0, {.begin_ns = 100 * us, .end_ns = 102 * us, .follows_gap = true});
  const ActivityRef received = run.add(1, {.begin_ns = 0, .end_ns = 105 * us, .follows_gap = true});
  run.link({.kind = WaitKind::late_sender, .waiting = received, .cause = sent});
  const WaitTotals totals = sum_waits(run, find_waits(run));
  EXPECT_EQ(totals.all.ns, 100 * us);
  EXPECT_EQ(totals.unknown_ns, 100 * us);
  EXPECT_EQ(totals.locations[0].caused_ns, 0);
}

TEST(WaitTotals, EqualTheWaitsOfRandomRuns) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    MadeRun made(4);
    made.meet(WaitKind::startup);
    for (int step = 0; step < 100; ++step) {
      const std::uint32_t from = any(4), to = (from + 1 + any(3)) % 4;
      made.work(any(4), any(500));
      if (step % 10 == 9)
        made.meet(step % 20 == 9 ? WaitKind::n_to_n : WaitKind::late_broadcast, 3, from);
      else
        made.send(from, to).receive(to, from);
    }
    const WaitStates found = find_waits(made.run);
    const WaitTotals totals = sum_waits(made.run, found);
    double ns = 0, origins = 0;
    for (const WaitState& wait : found.waits)
      if (wait.kind != WaitKind::startup && wait.is_certain()) ns += static_cast<double>(wait.ns());
    for (const SiteWaits& site : totals.sites)
      for (const LocationTime& origin : site.origins) origins += origin.ns;
    EXPECT_THAT(totals.all.ns, DoubleNear(ns, 1)) << "seed " << seed;
    EXPECT_THAT(origins + totals.unknown_ns, DoubleNear(ns, 1e-6 * ns)) << "seed " << seed;
    EXPECT_LT(totals.unknown_ns, 0.01 * ns) << "seed " << seed;
  }
}

// --- bounds -----------------------------------------------------------------------------------------------

TEST(RunActivities, BeyondTheLimitTheOlderHalfIsDroppedAndTheRestFollowsAGap) {
  MadeRun made(2, {.activities = 100});
  for (int i = 0; i < 200; ++i) made.work(0, 10).send(0, 1).receive(1, 0);
  EXPECT_LE(made.run.activities(0).size() + made.run.activities(1).size(), 100U);
  EXPECT_EQ(made.run.left_out() + made.run.activities(0).size() + made.run.activities(1).size(), 400U);
  EXPECT_TRUE(made.run.activities(0).front().follows_gap);
  EXPECT_TRUE(made.run.activities(1).front().follows_gap);
  const std::uint64_t first = made.run.first_of(0);
  EXPECT_GT(first, 0U);
  EXPECT_EQ(made.run.find({0, first - 1}), nullptr);
  EXPECT_NE(made.run.find({0, 199}), nullptr);
  EXPECT_EQ(made.run.find({0, 200}), nullptr);
  for (const Dependency& one : made.run.dependencies()) {
    EXPECT_NE(made.run.find(one.waiting), nullptr);
    EXPECT_NE(made.run.find(one.cause), nullptr);
  }
  EXPECT_THAT(find_waits(made.run).waits, SizeIs(made.run.dependencies().size()));
}

TEST(RunActivities, LinksBeyondTheLimitLeaveTheCallUnknownAndAreCounted) {
  MadeRun made(2, {.links = 3});
  for (int i = 0; i < 5; ++i) made.work(0, 10).send(0, 1).receive(1, 0);
  EXPECT_THAT(made.run.dependencies(), SizeIs(3));
  EXPECT_EQ(made.run.left_out(), 2U);
  EXPECT_TRUE(made.run.find({1, 4})->awaits_unknown);
  EXPECT_FALSE(made.run.find({1, 2})->awaits_unknown);
}

TEST(RunActivities, NamesBeyondTheLimitShareOne) {
  RunActivities run({.names = 2});
  EXPECT_EQ(run.site("a"), 1U);
  EXPECT_EQ(run.site("b"), 2U);
  EXPECT_EQ(run.site_name(run.site("c")), "other");
  EXPECT_EQ(run.site("d"), run.site("c"));
  EXPECT_EQ(run.site("a"), 1U);
  EXPECT_EQ(run.left_out(), 3U);
}

TEST(RunActivities, ACallWithinAnotherIsAPartOfIt) {
  RunActivities run;
  run.add_location("rank 0", {});
  const ActivityRef outer = run.add(0, {.begin_ns = 10, .end_ns = 50});
  EXPECT_EQ(run.add(0, {.begin_ns = 20, .end_ns = 30}), outer);
  const ActivityRef overlapping = run.add(0, {.begin_ns = 40, .end_ns = 60});
  EXPECT_EQ(run.find(overlapping)->begin_ns, 50);
}

}  // namespace
}  // namespace eventspace
