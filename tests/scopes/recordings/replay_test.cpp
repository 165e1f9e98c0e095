#include "scopes/recordings/replay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scopes/recordings/recording_writer.h"
#include "scopes/scope.h"
#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/temporary_directory.h"

// A recording as a run that happens again. Clocks are nanoseconds; thread 1 is in process 0, 11 in process 1.
namespace eventspace {
namespace {

using test::event;
using test::told;

View view_of(std::vector<TraceTuple> records) {
  View view;
  view.records = Records(std::move(records));
  for (const std::uint32_t process : {0u, 1u}) {
    ProcessReport& report = view.processes.emplace_back();
    report.process = process;
    report.pid = 70 + static_cast<std::int32_t>(process);
  }
  return view;
}

TraceTuple part_of(TraceTuple record, std::uint64_t end) {
  record.words[0] -= 1;
  record.words[3] |= 1u << 8;  // RecordHeader::part
  record.words[4] = end;
  return record;
}

class ReplayTest : public testing::Test {
 protected:
  RecordingWriter& writer() {
    if (!writer_) {
      writer_.emplace(RecordingWriter::Config{.file = file(),
                                              .session = {"gas", "", "n1", "0.1", 0, 0},
                                              .names = &names_,
                                              .collects = collects_});
    }
    return *writer_;
  }
  Replay& replay() {
    if (writer_) {
      writer_->end({.reason = "end"});
      writer_.reset();
      replay_.emplace(RecordingReader(file()), names_, std::vector<RecordedTrace>{}, max_records_);
    }
    return *replay_;
  }
  std::string newest_at(std::int64_t now) {
    replay().set_now_ns(now);
    return told(*replay().newest());
  }
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "run.evs"; }

  // A node that reads the trace elements of one process.
  static ScopeNode reads(std::uint32_t process) {
    ScopeNode node;
    node.name = "process";
    node.wrapper = "read";
    node.sources = {{3, process}};
    return node;
  }
  EventScope unread_of(std::vector<ScopeNode> readers) {
    ScopeTree tree;
    tree.next = true;
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = std::move(readers);
    return {tree, {.names = &names_, .endpoints = {}, .replay = &replay()}};
  }

  std::size_t max_records_{Replay::max_records};
  std::chrono::nanoseconds collects_{0};
  test::PlainNames names_;
  test::TemporaryDirectory directory_;
  std::optional<RecordingWriter> writer_;
  std::optional<Replay> replay_;
};

TEST_F(ReplayTest, TheNewestEventsAreThoseOfTheMoment) {
  writer().add_state(view_of({event(1, 10, 20)}), 25);
  writer().add_events(view_of({event(2, 30, 40), event(3, 50, 90)}), 95);
  writer().add_state(view_of({event(3, 50, 90), event(4, 100, 0)}), 110);
  EXPECT_EQ(newest_at(26), "1");
  EXPECT_EQ(newest_at(35), "1 2*") << "in flight, as it ended only later";
  EXPECT_EQ(newest_at(45), "2");
  EXPECT_EQ(newest_at(60), "2 3*");
  EXPECT_EQ(newest_at(95), "3");
  EXPECT_EQ(newest_at(105), "3 4*") << "in flight since then, as the next state says";
  EXPECT_EQ(newest_at(200), "3 4*");
  EXPECT_EQ(newest_at(45), "2") << "time can be set back";
}

TEST_F(ReplayTest, AnEventThatWasInFlightDoesNotSayHowItEnded) {
  writer().add_state(view_of({}), 5);
  writer().add_events(view_of({event(1, 30, 90)}), 95);
  newest_at(50);
  const EventRecord record = decode(replay().newest()->records.at(0));
  EXPECT_TRUE(record.in_flight());
  EXPECT_EQ(record.start, 30u);
  EXPECT_EQ(record.status, Status::under_way);
  EXPECT_EQ(replay().newest()->records.at(0).words[5], 0u);
}

TEST_F(ReplayTest, ContinuationRecordsComeWithTheirEvent) {
  const TraceTuple done = event(4, 30, 90);
  writer().add_state(view_of({event(2, 10, 20)}), 25);
  writer().add_events(view_of({part_of(done, 30), done}), 95);
  EXPECT_EQ(newest_at(50), "2 3 4*") << "written when the event began";
  EXPECT_EQ(newest_at(95), "3 4");
}

TEST_F(ReplayTest, ContinuationRecordsWrittenAtTheEndAreNotThereBefore) {
  const TraceTuple done = event(4, 30, 90);
  writer().add_state(view_of({event(2, 10, 20)}), 25);
  writer().add_events(view_of({part_of(done, 90), done}), 95);
  EXPECT_EQ(newest_at(50), "2 4*");
  EXPECT_EQ(newest_at(95), "3 4");
}

TEST_F(ReplayTest, AnotherRunOfAProcessBeginsAnew) {
  writer().add_state(view_of({event(900, 10, 20)}), 25);
  writer().add_events(view_of({event(1, 30, 40)}), 45);
  EXPECT_EQ(newest_at(26), "900");
  EXPECT_EQ(newest_at(45), "1");
}

TEST_F(ReplayTest, ProcessesAreAsTheyWereAtTheMoment) {
  View state = view_of({event(1, 10, 20)});
  state.processes[0].now_ticks = 100;
  state.processes[0].now_monotonic_ns = 100;
  state.processes[0].threads.push_back({.thread = 1, .tid = 7, .state = 'S', .cpu_ns = 3});
  writer().add_state(state, 100);
  newest_at(150);
  const ProcessReport& report = replay().newest()->processes.at(0);
  EXPECT_EQ(report.now_ticks, 150u) << "the clock goes on between two states";
  EXPECT_EQ(report.threads.at(0).state, 'S');
}

TEST_F(ReplayTest, AScopeOfUnreadEventsGetsEachOnceWhenItEnded) {
  View first = view_of({event(1, 10, 20), event(1, 12, 22, 11)});
  first.loss.discarded = 4;
  writer().add_events(std::move(first), 25);
  writer().add_events(view_of({event(2, 30, 40)}), 45);
  EventScope scope = unread_of({reads(0), reads(1)});
  replay().set_now_ns(19);
  View pulled = scope.pull({});
  EXPECT_EQ(told(pulled), "");
  EXPECT_EQ(pulled.loss.discarded, 4u)
      << "the recorder found it out behind the chunk before, if there is one";
  replay().set_now_ns(21);
  pulled = scope.pull({});
  EXPECT_EQ(told(pulled), "1") << "although the recorder read it later";
  EXPECT_EQ(pulled.loss.discarded, 0u) << "once, although two stages read the chunk";
  replay().set_now_ns(30);
  pulled = scope.pull({});
  EXPECT_EQ(told(pulled), "1") << "of the other process";
  EXPECT_EQ(pulled.processes.size(), 2u);
  EXPECT_EQ(told(scope.pull({})), "") << "each event once";
  replay().set_now_ns(50);
  EXPECT_EQ(told(scope.pull({})), "2");
  EXPECT_FALSE(replay().take_unread());
}

TEST_F(ReplayTest, ChunksThatWereReadLateMakeNoDifference) {
  writer().add_events(view_of({event(1, 10, 20), event(2, 40, 50), event(3, 60, 70)}), 75);
  writer().add_events(view_of({event(1, 15, 25, 11), event(2, 35, 45, 11)}), 95);
  EventScope scope = unread_of({reads(0), reads(1)});
  std::string by_interval;
  for (const std::int64_t now : {30, 50, 60, 80, 100}) {
    replay().set_now_ns(now);
    by_interval += told(scope.pull({})) + ";";
  }
  EXPECT_EQ(by_interval, "1 1;2 2;;3;;");
}

TEST_F(ReplayTest, AnEventCountsAtTheLatestWhenItWasRead) {
  writer().add_events(view_of({event(1, 10, 99)}), 25);  // the clocks do not agree
  EventScope scope = unread_of({reads(0)});
  replay().set_now_ns(24);
  EXPECT_EQ(told(scope.pull({})), "");
  replay().set_now_ns(25);
  EXPECT_EQ(told(scope.pull({})), "1");
  EXPECT_EQ(replay().end_ns(), 25);
}

TEST_F(ReplayTest, ContinuationRecordsAreUnreadUntilTheirEventHasEnded) {
  const TraceTuple done = event(4, 30, 90);
  writer().add_events(view_of({event(2, 10, 20), part_of(done, 30), done}), 95);
  EventScope scope = unread_of({reads(0)});
  replay().set_now_ns(50);
  EXPECT_EQ(told(scope.pull({})), "2");
  replay().set_now_ns(90);
  EXPECT_EQ(told(scope.pull({})), "3 4");
}

TEST_F(ReplayTest, WhatIsInFlightComesWithUnreadEventsIfItIsAskedFor) {
  writer().add_state(view_of({event(1, 10, 20)}), 22);
  writer().add_events(view_of({event(2, 30, 90)}), 95);
  EventScope scope = unread_of({reads(0)});
  replay().set_now_ns(50);
  const View pulled = scope.pull({.with_in_flight = true});
  ASSERT_EQ(pulled.processes.size(), 1u);
  ASSERT_EQ(pulled.processes.front().in_flight.size(), 1u);
  EXPECT_EQ(pulled.processes.front().in_flight.front().words[1], 30u);
  EXPECT_EQ(told(pulled), "");
}

TEST_F(ReplayTest, AProcessThatHasStartedSinceTheLastStateIsNotMissing) {
  View none;
  none.missing.push_back(
      {"n1", fmt::format("process {}", names_.process_name(0)), MissingCause::no_segment, "", 1});
  writer().add_state(none, 5);
  View state = view_of({event(1, 10, 20)});
  for (ProcessReport& process : state.processes) process.clock.ticks = process.process == 0 ? 8 : 80;
  state.processes.front().state = RunState::ended;
  writer().add_state(state, 100);
  replay().set_now_ns(6);
  EXPECT_EQ(replay().newest()->processes.size(), 0u) << "neither has started";
  EXPECT_EQ(replay().newest()->missing.size(), 1u);
  replay().set_now_ns(30);
  ASSERT_EQ(replay().newest()->processes.size(), 1u);
  EXPECT_EQ(replay().newest()->processes.front().state, RunState::running) << "it ended later";
  EXPECT_EQ(replay().newest()->missing.size(), 0u);
}

TEST_F(ReplayTest, AScopeReadsItsSourcesOnly) {
  writer().add_events(view_of({event(1, 10, 20), event(5, 12, 22, 11)}), 25);
  EventScope scope = unread_of({reads(1)});
  replay().set_now_ns(30);
  const View pulled = scope.pull({});
  EXPECT_EQ(told(pulled), "5");
  EXPECT_EQ(pulled.processes.size(), 1u);
}

TEST_F(ReplayTest, MoreThanOnePullTakesIsLeftForTheNext) {
  max_records_ = 10;
  for (std::uint64_t i = 1; i <= 40; ++i)
    writer().add_events(view_of({event(i, 10 * i, 10 * i + 5)}), static_cast<std::int64_t>(10 * i + 6));
  EventScope scope = unread_of({reads(0)});
  replay().set_now_ns(1000);
  std::size_t events = scope.pull({}).records.size();
  EXPECT_EQ(events, 10u);
  while (replay().take_unread()) events += scope.pull({}).records.size();
  EXPECT_EQ(events, 40u);
}

// Otherwise a reader of events would take them for all that there were.
TEST_F(ReplayTest, AProcessWhoseEventsAreOffIsReportedWithoutEvents) {
  View off = view_of({});
  off.processes[1].collecting.period = 0;
  writer().add_events(view_of({event(1, 10, 20), event(1, 10, 20, 11)}), 25);
  writer().add_events(std::move(off), 45);
  EventScope scope = unread_of({reads(0), reads(1)});
  replay().set_now_ns(25);
  const View before = scope.pull({});
  ASSERT_EQ(before.processes.size(), 2u);
  for (const ProcessReport& process : before.processes) EXPECT_TRUE(process.collecting.is_complete());
  replay().set_now_ns(50);
  const View pulled = scope.pull({});
  ASSERT_EQ(pulled.processes.size(), 1u);
  EXPECT_EQ(pulled.processes[0].process, 1u);
  EXPECT_EQ(pulled.processes[0].collecting.period, 0u);
}

TEST_F(ReplayTest, EventsThatWereOffForATimeWithinAChunkAreReported) {
  collects_ = std::chrono::nanoseconds(1000);
  View off = view_of({event(2, 30, 40)});
  off.processes[0].collecting.period = 0;
  writer().add_events(view_of({event(1, 10, 20)}), 25);
  writer().add_events(std::move(off), 45);
  writer().add_events(view_of({event(3, 50, 60)}), 65);
  EventScope scope = unread_of({reads(0), reads(1)});
  replay().set_now_ns(100);
  const View pulled = scope.pull({});
  EXPECT_EQ(pulled.records.size(), 3u);
  ASSERT_EQ(pulled.processes.size(), 1u);
  EXPECT_FALSE(pulled.processes[0].collecting.is_complete());
}

TEST_F(ReplayTest, ADamagedChunkIsNamedAsMissing) {
  writer().add_events(view_of({event(1, 10, 20)}), 25);
  writer().add_events(view_of({event(2, 30, 40)}), 45);
  EventScope scope = unread_of({reads(0)});
  std::filesystem::resize_file(file(), 64 + 80);  // without notice to the reader
  replay().set_now_ns(25);
  const View pulled = scope.pull({});
  EXPECT_EQ(told(pulled), "");
  ASSERT_EQ(pulled.missing.size(), 1u);
  EXPECT_THAT(pulled.missing.front().detail, testing::HasSubstr("is damaged"));
}

}  // namespace
}  // namespace eventspace
