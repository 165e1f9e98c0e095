#include "collectors/mpi/mpi_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "collectors/mpi/mpi_recorder.h"
#include "collectors/mpi/mpi_text.h"
#include "tests/tuplespace/trace/trace_ring.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MpiCallRecord test_of(std::uint16_t function, std::uint16_t site,
                      std::uint32_t partner = MpiCallRecord::none) {
  MpiCallRecord call;
  call.call = function;
  call.site = site;
  call.of = MpiClass::complete;
  call.partner = partner;
  return call;
}

MpiCallRecord probe_of(std::uint16_t site, std::uint32_t tag) {
  MpiCallRecord call = test_of(90, site);
  call.of = MpiClass::probe;
  call.tag = tag;
  return call;
}

// A thread whose calls find nothing, with its own clock. A counted call takes `ticks`.
class MpiLooksTest : public testing::Test {
 protected:
  using Taken =
      std::tuple<std::uint64_t, std::uint64_t, std::uint16_t, std::uint32_t>;  // from, to, site, calls

  bool look(const MpiCallRecord& call, std::uint64_t ticks) {
    MpiLooks::Place* const place = looks_.find(call);
    if (place == nullptr) {
      looks_.remember(call, now_);
      return false;
    }
    const std::uint64_t start = now_;
    now_ += ticks;
    return looks_.end(*place, start, MpiLooks::is_timed(*place) ? now_ : start);
  }
  std::vector<Taken> taken() {
    std::vector<Taken> all;
    if (!looks_.counts()) return all;
    looks_.take(now_, [&](std::uint64_t start, std::uint64_t end, const MpiCallRecord& look) {
      EXPECT_EQ(look.of, MpiClass::look);
      all.emplace_back(start, end, look.site, look.calls);
    });
    return all;
  }

  MpiLooks looks_{1000};
  std::uint64_t now_{100};
};

TEST_F(MpiLooksTest, CallsAfterTheFirstAreCounted) {
  const MpiCallRecord test = test_of(5, 1);
  EXPECT_FALSE(look(test, 10));
  EXPECT_THAT(taken(), IsEmpty()) << "the first has a record of its own";
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(look(test, 10));
  EXPECT_THAT(taken(), ElementsAre(Taken{100, 130, 1, 3}));
  EXPECT_THAT(taken(), IsEmpty()) << "each call once";
  look(test, 10);
  EXPECT_THAT(taken(), ElementsAre(Taken{130, 140, 1, 1})) << "the place is still known";
}

TEST_F(MpiLooksTest, TestsOfOnePlaceMayBeForOtherRequestsEachTime) {
  look(test_of(5, 1, 7), 10);
  look(test_of(5, 1, 8), 10);
  EXPECT_THAT(taken(), ElementsAre(Taken{100, 110, 1, 1}));
  look(test_of(6, 1), 10);
  look(test_of(5, 2), 10);
  EXPECT_THAT(taken(), IsEmpty()) << "another function, and another place";
}

TEST_F(MpiLooksTest, ProbesAreToldApartByWhatTheyLookFor) {
  look(probe_of(1, 50), 10);
  look(probe_of(1, 51), 10);
  EXPECT_THAT(taken(), IsEmpty());
  look(probe_of(1, 50), 10);
  look(probe_of(1, 51), 10);
  EXPECT_EQ(taken().size(), 2u);
}

TEST_F(MpiLooksTest, FunctionsThatAreCalledByTurnsLieOneBehindTheOther) {
  for (int i = 0; i < 3; ++i) {
    look(test_of(5, 1), 10);
    look(test_of(6, 2), 20);
    if (i > 0) now_ += 100;  // the program does something else
  }
  EXPECT_THAT(taken(), ElementsAre(Taken{100, 120, 1, 2}, Taken{120, 160, 2, 2}));
}

TEST_F(MpiLooksTest, OfManyCallsOneInEightIsTimed) {
  const MpiCallRecord test = test_of(5, 1);
  for (int i = 0; i < 1 + 16 + 80; ++i) look(test, 2);
  EXPECT_THAT(taken(), ElementsAre(Taken{100, 100 + 2 * 96, 1, 96}));
}

TEST_F(MpiLooksTest, WhatIsCountedIsToBeTakenSoon) {
  const MpiCallRecord test = test_of(5, 1);
  look(test, 10);
  int calls = 0;
  while (!look(test, 90)) ++calls;
  EXPECT_EQ(calls, 11) << "12 * 90 >= 1000";
  EXPECT_THAT(taken(), ElementsAre(Taken{100, 100 + 12 * 90, 1, 12}));
}

TEST_F(MpiLooksTest, OfALongSeriesItIsTakenEverMoreRarely) {
  const MpiCallRecord test = test_of(5, 1);
  look(test, 0);
  std::size_t records = 0;
  std::uint64_t longest = 0;
  for (std::uint64_t taken_at = now_; now_ < 10'000'000;) {
    if (!look(test, 100)) continue;
    longest = std::max(longest, now_ - taken_at);
    taken_at = now_;
    records += taken().size();
  }
  EXPECT_LT(records, 300u) << "of ten thousand shortest intervals";
  EXPECT_GE(longest, 64'000u);
  EXPECT_LE(longest, 64'000u + 8 * 100);
  (void)taken();
  looks_.forget();
  look(test, 0);
  int calls = 1;
  while (!look(test, 100)) ++calls;
  EXPECT_EQ(calls, 10) << "a new series";
}

TEST_F(MpiLooksTest, ALongCallAmongUntimedOnesIsNoLongerThanAllTogether) {
  const MpiCallRecord test = test_of(5, 1);
  for (int i = 0; i < 1 + 16; ++i) look(test, 1);
  now_ = 150;
  look(test, 40);  // timed: the others are assumed to be as long
  for (int i = 0; i < 7; ++i) look(test, 0);
  const auto all = taken();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_LE(std::get<1>(all[0]), now_);
  EXPECT_EQ(std::get<3>(all[0]), 24u);
}

TEST_F(MpiLooksTest, AfterAnotherCallThePlaceIsNew) {
  look(test_of(5, 1), 10);
  looks_.forget();
  look(test_of(5, 1), 10);
  EXPECT_THAT(taken(), IsEmpty());
}

TEST_F(MpiLooksTest, ThereIsRoomForThePlacesOfOneLoop) {
  constexpr auto most = static_cast<std::uint16_t>(MpiLooks::max_places);
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint16_t site = 1; site <= most; ++site) look(test_of(5, site), 10);
  const auto all = taken();
  ASSERT_EQ(all.size(), most);
  for (const Taken& one : all) EXPECT_EQ(std::get<3>(one), 2u) << std::get<2>(one);
  look(test_of(5, most + 1), 10);
  EXPECT_EQ(looks_.find(test_of(5, 1)), nullptr);
  EXPECT_NE(looks_.find(test_of(5, most + 1)), nullptr);
}

class MpiLooksRecorderTest : public testing::Test {
 protected:
  // Like wrappers.
  void call(const MpiCallRecord& call, bool is_in_vain) {
    const bool is_again = recorder_.is_again(call);
    is_again ? recorder_.begin_look() : recorder_.begin_first_look(call);
    if (is_again && is_in_vain) {
      if (recorder_.end_look()) recorder_.record_looks({}, 0);
      return;
    }
    if (is_again) recorder_.show_look(call);
    recorder_.end(call);
    if (is_in_vain)
      (void)recorder_.remember_look(call);
    else
      recorder_.forget_looks();
  }
  /// "look 3" for each record, in the order in which they were made.
  std::vector<std::string> recorded() {
    std::vector<TraceTuple> records;
    position_ = ring_.reader().read_after(position_, 64, records).last;
    std::vector<std::string> all;
    for (const TraceTuple& record : records) {
      const MpiCallRecord call = mpi_call_of(record);
      all.push_back(std::string(to_string(call.of)) + " " + std::to_string(call.calls));
    }
    return all;
  }

  test::RingMemory ring_{64};
  CollectSwitch switch_;
  RecordedThread thread_{&switch_};
  MpiRecorder recorder_{ring_.writer(), {3, 4, no_peer, 0}, thread_, Clock::instance()};
  std::uint64_t position_{0};
};

TEST_F(MpiLooksRecorderTest, OneThatFindsSomethingFollowsThoseInVain) {
  const MpiCallRecord test = test_of(5, 1);
  for (int i = 0; i < 4; ++i) call(test, true);
  EXPECT_THAT(recorded(), ElementsAre("complete 1"));
  call(test, false);
  EXPECT_THAT(recorded(), ElementsAre("look 3", "complete 1"));
  call(test, true);
  call(test, true);
  EXPECT_THAT(recorded(), ElementsAre("complete 1")) << "after one that found something, all is new";
}

TEST_F(MpiLooksRecorderTest, AnotherCallRecordsThemFirst) {
  for (int i = 0; i < 3; ++i) call(test_of(5, 1), true);
  MpiCallRecord send = test_of(9, 3);
  send.of = MpiClass::send;
  recorder_.begin(send);
  recorder_.end(send);
  EXPECT_THAT(recorded(), ElementsAre("complete 1", "look 2", "send 1"));
  call(test_of(5, 1), true);
  EXPECT_THAT(recorded(), ElementsAre("complete 1"));
}

TEST_F(MpiLooksRecorderTest, AThreadThatEndsRecordsThem) {
  for (int i = 0; i < 3; ++i) call(test_of(5, 1), true);
  recorder_.finish();
  EXPECT_THAT(recorded(), ElementsAre("complete 1", "look 2"));
}

TEST_F(MpiLooksRecorderTest, TheirClassIsSwitchedByItself) {
  switch_.set({mpi_kind, static_cast<std::uint8_t>(MpiClass::look)}, CollectSwitch::off);
  for (int i = 0; i < 3; ++i) call(test_of(5, 1), true);
  call(test_of(5, 1), false);
  EXPECT_THAT(recorded(), ElementsAre("complete 1", "complete 1"));
}

TEST_F(MpiLooksRecorderTest, TheLastRecordSaysWhatIsLookedForAtAllPlaces) {
  MpiCallRecord request = test_of(7, 3, 2);
  request.of = MpiClass::receive;
  const std::array<MpiCallRecord, 2> awaited{request, probe_of(1, 50)};
  call(test_of(5, 1), true);
  call(test_of(6, 2), true);
  for (const MpiCallRecord& test : {test_of(5, 1), test_of(6, 2)}) {
    (void)recorder_.is_again(test);
    recorder_.begin_look();
    (void)recorder_.end_look();
  }
  recorder_.record_looks(std::span(awaited).first(1), 3);
  std::vector<TraceTuple> records;
  (void)ring_.reader().read_after(0, 64, records);
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(mpi_call_of(records[2]).call, 5);
  const MpiRequests sought = mpi_requests_of(std::span(records).last(2));
  EXPECT_EQ(sought.in_all, 3u);
  ASSERT_EQ(sought.awaited.size(), 1u);
  EXPECT_EQ(sought.awaited[0].partner, 2u);
  const MpiCallRecord last = mpi_call_of(records.back());
  EXPECT_EQ(last.call, 6);
  EXPECT_FALSE(last.has(MpiPolling::one_place));
}

TEST_F(MpiLooksRecorderTest, ALookSaysHowLongAgoItsSeriesBegan) {
  MpiCallRecord look = test_of(5, 1);
  look.of = MpiClass::look;
  look.calls = 70000;
  look.since_ms = 90000;
  look.polling = static_cast<std::uint8_t>(MpiPolling::one_place);
  TraceTuple tuple;
  tuple.words[3] = look.word3(0);
  tuple.words[5] = look.word5();
  tuple.words[6] = look.word6();
  tuple.words[7] = look.word7();
  EXPECT_EQ(mpi_call_of(tuple), look);
}

TEST(SoughtByMpi, TestsOfOneRequestEachAddUp) {
  SoughtByMpi sought(MpiClass::complete);
  for (const std::uintptr_t handle : {7u, 8u, 7u}) sought.add(handle);
  EXPECT_THAT(sought.requests(), ElementsAre(7u, 8u));
  EXPECT_EQ(sought.not_known(), 0u);
  for (std::uintptr_t handle = 100; handle < 120; ++handle) sought.add(handle);
  EXPECT_EQ(sought.requests().size(), mpi_parts::max_awaited);
  EXPECT_GT(sought.not_known(), 0u);
}

TEST(SoughtByMpi, OfTestsOfSeveralRequestsTheFirstIsRead) {
  SoughtByMpi sought(MpiClass::complete);
  const auto from = [](std::uintptr_t first) { return [=](std::size_t i) { return first + i; }; };
  for (int i = 0; i < 3; ++i) sought.add(3, from(40));
  EXPECT_THAT(sought.requests(), ElementsAre(40u, 41u, 42u));
  EXPECT_EQ(sought.not_known(), 0u);
  sought.add(2, from(60));
  EXPECT_EQ(sought.not_known(), 1u) << "others are tested, too";
  SoughtByMpi many(MpiClass::complete);
  many.add(20, from(40));
  EXPECT_EQ(many.not_known(), 6u);
}

TEST_F(MpiLooksRecorderTest, LooksAreDescribedByTheirNumber) {
  MpiCallRecord probe = probe_of(1, 50);
  probe.of = MpiClass::look;
  probe.call = 46;
  probe.calls = 12;
  probe.partner = 3;
  EXPECT_EQ(describe_mpi_call(probe, "world"), name_of_mpi_call(46) + " from 3 tag 50, 12 in vain");
}

}  // namespace
}  // namespace eventspace
