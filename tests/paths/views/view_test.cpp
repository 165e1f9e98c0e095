#include "paths/views/view.h"

#include <gtest/gtest.h>

#include <utility>

#include <eventspace/tuple.h>

namespace eventspace {
namespace {

View view_of(std::uint64_t record, std::uint32_t process, std::uint32_t thread) {
  View view;
  view.records.push_back({{record}});
  view.loss = {record, 2, 3, 4, 5, 6};
  view.missing.push_back({"n1", "process p9", MissingCause::no_segment, "", 1});
  ProcessReport report;
  report.process = process;
  report.pid = 100;
  report.threads.push_back({thread, 1, 'R', 0});
  view.processes.push_back(report);
  view.levels.push_back({"level", std::chrono::nanoseconds(1), 2, 3});
  view.sources_read = 2;
  return view;
}

TEST(ViewTest, AppendingKeepsTheOrderAndAddsTheCounts) {
  View sum = view_of(10, 0, 1);
  sum.append(view_of(20, 1, 2));
  EXPECT_EQ(sum.records[0].words[0], 10u);
  EXPECT_EQ(sum.records[1].words[0], 20u);
  EXPECT_EQ(sum.loss, (Loss{30, 4, 6, 8, 10, 12}));
  ASSERT_EQ(sum.missing.size(), 1u);  // the same part, missed twice
  EXPECT_EQ(sum.missing[0].sources, 2u);
  EXPECT_EQ(sum.processes.size(), 2u);
  EXPECT_EQ(sum.levels.size(), 2u);
  EXPECT_EQ(sum.sources_read, 4u);
}

TEST(ViewTest, ItsAccountCanBeCopiedWithoutItsData) {
  const View view = view_of(10, 0, 1);
  View other = view_of(20, 1, 2);
  other.account() = view.account();
  EXPECT_EQ(other.records[0].words[0], 20u);
  EXPECT_EQ(other.loss, view.loss);
  EXPECT_EQ(other.missing, view.missing);
  EXPECT_EQ(other.processes.at(0).process, 0u);
  EXPECT_EQ(other.levels, view.levels);
}

TEST(ViewTest, RecordsThatWentAheadCountThoughTheyAreNotHere) {
  View view;
  view.gone_ahead = 5;
  view.records.push_back({{6}});
  EXPECT_EQ(view.record_count(), 6u);
  View sum;
  sum.append(std::move(view));
  sum.records.push_back({{7}});
  EXPECT_EQ(sum.records.size(), 2u);
  EXPECT_EQ(sum.record_count(), 7u);
  sum.clear();
  EXPECT_EQ(sum.record_count(), 0u);
}

TEST(ViewTest, AggregatesOfOneKeyBecomeOne) {
  Aggregate events;
  events.name = "events";
  events.add(1);
  View sum;
  sum.aggregates.push_back(events);
  View other;
  other.aggregates.push_back(events);
  sum.append(std::move(other));
  ASSERT_EQ(sum.aggregates.size(), 1u);
  EXPECT_EQ(sum.aggregates[0].value(), 2);
}

TEST(ViewTest, TheByteOrderThatOnePartIsSentInIsThatOfAll) {
  const auto other = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  View converted = view_of(10, 0, 1);
  converted.sent_in = other;
  View sum = view_of(20, 0, 1);
  sum.append(std::move(converted));
  sum.append(view_of(30, 0, 1));
  EXPECT_EQ(sum.sent_in, other);
  sum.clear();
  EXPECT_EQ(sum.sent_in, own_byte_order);
}

TEST(ViewTest, WhatTwoReportOfOneProcessBecomesOneReport) {
  View sum = view_of(10, 0, 1);
  sum.append(view_of(20, 0, 2));
  ASSERT_EQ(sum.processes.size(), 1u);
  EXPECT_EQ(sum.processes[0].threads.size(), 2u);
}

/// Thread 1 of process 0 was seen `state` by a branch that read it at `now_ticks`.
View seen_at(std::uint64_t now_ticks, char state, RunState run) {
  View view = view_of(10, 0, 1);
  view.processes[0].now_ticks = now_ticks;
  view.processes[0].now_monotonic_ns = static_cast<std::int64_t>(now_ticks);
  view.processes[0].state = run;
  view.processes[0].threads[0].state = state;
  return view;
}

TEST(ViewTest, OfTwoReportsOfOneProcessTheLaterCountsWhicheverCameFirst) {
  for (const bool later_first : {true, false}) {
    View sum = later_first ? seen_at(200, 'X', RunState::dead) : seen_at(100, 'R', RunState::running);
    sum.append(later_first ? seen_at(100, 'R', RunState::running) : seen_at(200, 'X', RunState::dead));
    ASSERT_EQ(sum.processes.size(), 1u);
    EXPECT_EQ(sum.processes[0].now_ticks, 200u);
    EXPECT_EQ(sum.processes[0].now_monotonic_ns, 200);
    EXPECT_EQ(sum.processes[0].state, RunState::dead);
    ASSERT_EQ(sum.processes[0].threads.size(), 2u);
    EXPECT_EQ(sum.processes[0].threads.back().state, 'X');
  }
}

// One of them was converted to another clock on its way.
TEST(ViewTest, OfTwoReportsByClocksThatCannotBeComparedTheFirstCounts) {
  View sum = seen_at(100, 'R', RunState::running);
  View other = seen_at(200, 'X', RunState::dead);
  other.processes[0].clock.source = ClockSource::realtime;
  sum.append(std::move(other));
  EXPECT_EQ(sum.processes.at(0).state, RunState::running);
}

TEST(ViewTest, AProcessIsFollowedIfAllWhoReadItFollowIt) {
  for (const auto& [first, second] : {std::pair(true, true), {true, false}, {false, true}}) {
    View sum = view_of(10, 0, 1);
    sum.processes[0].followed = first;
    View other = view_of(20, 0, 2);
    other.processes[0].followed = second;
    sum.append(std::move(other));
    EXPECT_EQ(sum.processes[0].followed, first && second);
  }
}

TEST(ViewTest, AProcessThatStartedAnewIsAnother) {
  View sum = view_of(10, 0, 1);
  View later = view_of(20, 0, 1);
  later.processes[0].start_ticks = 99;
  sum.append(std::move(later));
  EXPECT_EQ(sum.processes.size(), 2u);
}

TEST(ViewTest, ClearingLeavesNothing) {
  View view = view_of(10, 0, 1);
  view.clear();
  EXPECT_TRUE(view.records.empty() && view.missing.empty() && view.processes.empty() && view.levels.empty());
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_EQ(view.sources_read, 0u);
}

}  // namespace
}  // namespace eventspace
