#include "scopes/reading/read_stage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/scopes/reading/read_stage_talk.h"

namespace eventspace {
namespace {

using test::newest;
using test::unread;

class ReadStageTest : public test::ReadStageFixture {
 protected:
  /// Overwrites the number of an event in the file of a running process.
  static void damage_event(const std::filesystem::path& file, std::uint64_t number) {
    const std::vector<char> content = test::content_of(file);
    const std::array words{number, test::pattern(number, 1)};
    const auto* const begin = reinterpret_cast<const char*>(words.data());
    const auto event = std::search(content.begin(), content.end(), begin, begin + sizeof words);
    ASSERT_NE(event, content.end());
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(event - content.begin()).put(77);
  }
};

TEST_F(ReadStageTest, NewestYieldsTheNewestOfEachAndOperationsInFlight) {
  start_process();
  record(3);
  test::begin_pattern(second, 1);
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "3 1");
  EXPECT_TRUE(decode(view.records[1]).in_flight());
  EXPECT_EQ(pull(stage, 2, 1), "3 1");
  EXPECT_EQ(view.sources_read, 2u);
}

TEST_F(ReadStageTest, UnreadYieldsEachEventOnce) {
  start_process();
  record(3);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "");
  record(1);
  EXPECT_EQ(pull(stage, 3, 2), "4");
}

TEST_F(ReadStageTest, AViewThatDidNotArriveIsReadAgain) {
  start_process();
  record(2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  record(1);
  EXPECT_EQ(pull(stage, 2, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 3, 2), "");
}

TEST_F(ReadStageTest, ABatchLeavesTheRestForTheNextPull) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 3});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "4");
}

// The trace elements keep four and two events, and have that many unread.
TEST_F(ReadStageTest, OfABoundedPullAllHaveEqualPartsAndTheRestComesNext) {
  start_process();
  record(4);
  test::record(second, 1);
  test::record(second, 2);
  ReadStage stage = reading({true, 1000, 4});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 1 2");
  EXPECT_EQ(pull(stage, 2, 1), "3 4");
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ReadStageTest, ABusyTraceElementGetsTheShareOfAnIdleOne) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 1000, 3});
  EXPECT_EQ(pull(stage, 1, 0), "1 2 3");
  EXPECT_EQ(pull(stage, 2, 1), "4");
}

TEST_F(ReadStageTest, APartOfABoundedPullThatDidNotArriveIsReadAgain) {
  start_process();
  record(4);
  ReadStage stage = reading({true, 1000, 2});
  EXPECT_EQ(pull(stage, 1, 0), "1 2");
  EXPECT_EQ(pull(stage, 2, 0), "1 2");
  EXPECT_EQ(pull(stage, 3, 2), "3 4");
}

TEST_F(ReadStageTest, ABoundOfOneReachesEachInTurn) {
  start_process();
  record(2);
  test::record(second, 1);
  test::record(second, 2);
  ReadStage stage = reading({true, 1000, 1});
  EXPECT_EQ(pull(stage, 1, 0), "1");
  EXPECT_EQ(pull(stage, 2, 1), "1");
  EXPECT_EQ(pull(stage, 3, 2), "2");
  EXPECT_EQ(pull(stage, 4, 3), "2");
  EXPECT_EQ(pull(stage, 5, 4), "");
}

/// A sink that takes all records.
struct TakesAll final : RecordsAhead {
  void offer(View& view) override {
    ++offers;
    view.gone_ahead += view.records.size();
    for (const TraceTuple& tuple : view.records) taken.push_back(tuple.words[0]);
    view.records.clear();
  }
  int offers{0};
  std::vector<std::uint64_t> taken;
};

TEST_F(ReadStageTest, RecordsGoAheadWhileOthersAreStillToBeRead) {
  start_process();
  record(3);
  test::record(second, 1);
  for (const auto& [mode, taken, offers] :
       {std::tuple{unread, std::vector<std::uint64_t>{1, 2, 3, 1}, 2}, {newest, {3, 1}, 1}}) {
    ReadStage stage = reading(mode);
    TakesAll ahead;
    Pull pull;
    pull.ahead = &ahead;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &pull;
    stage.call(operation);
    EXPECT_EQ(ahead.taken, taken);
    EXPECT_EQ(ahead.offers, offers);
    EXPECT_EQ(pull.view.record_count(), taken.size());
    EXPECT_TRUE(pull.view.records.empty());
    EXPECT_EQ(pull.view.sources_read, 2u);
  }
}

// More trace elements than are read at a time, each with one, two or three events.
TEST_F(ReadStageTest, NewestOfManyAreReadInTheirOrder) {
  constexpr std::uint32_t many = RecordsAhead::worth_taking + 904;
  Segment::Config config = test::small_segment(directory.path());
  config.traces.clear();
  for (std::uint32_t i = 0; i < many; ++i)
    config.traces.push_back({"t7/" + std::to_string(i), i, 30, 7, 0, 4});
  segment = std::make_unique<Segment>(config);
  std::vector<SourceRef> sources;
  std::vector<std::uint64_t> expected;
  for (std::uint32_t i = 0; i < many; ++i) {
    TraceWriter writer = segment->writer(i);
    for (std::uint64_t event = 1; event <= i % 3 + 1; ++event) test::record(writer, event);
    sources.push_back({i, 0});
    expected.push_back(i % 3 + 1);
  }
  ReadStage stage = reading(newest, sources);
  pull(stage, 1, 0);
  EXPECT_EQ(test::sequences(view), expected);
  EXPECT_EQ(view.sources_read, many);
}

TEST_F(ReadStageTest, EventsLostBeforeTheFirstLookAreEarlierAndLaterOnesDiscarded) {
  start_process();
  record(10);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "7 8 9 10");
  EXPECT_EQ(view.loss.earlier, 6u);
  EXPECT_EQ(view.loss.discarded, 0u);
  record(6);
  EXPECT_EQ(pull(stage, 2, 1), "13 14 15 16");
  EXPECT_EQ(view.loss.discarded, 2u);
}

TEST_F(ReadStageTest, EventsLostBeforeAFirstLookWhoseViewWasLostAreStillEarlier) {
  start_process();
  record(10);
  ReadStage stage = reading(unread);
  pull(stage, 1, 0);
  EXPECT_EQ(pull(stage, 2, 0), "7 8 9 10");
  EXPECT_EQ(view.loss.earlier, 6u);
  EXPECT_EQ(view.loss.discarded, 0u);
}

TEST_F(ReadStageTest, ADamagedEventIsCountedAsTorn) {
  start_process();
  record(3);
  damage_event(segment->path(), 2);
  ReadStage stage = reading(unread);
  EXPECT_EQ(pull(stage, 1, 0), "1 3");
  EXPECT_EQ(view.loss, Loss{.torn = 1});
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "4");
  EXPECT_EQ(view.loss, Loss{});
}

// Does the same as Crew's threads, in threads that ThreadSanitizer can follow.
TEST_F(ReadStageTest, StagesThatShareSegmentsMayFinishInAsManyThreadsWhileTheProcessRecords) {
  start_process();
  std::vector<std::unique_ptr<ReadStage>> stages;
  for (int i = 0; i < 4; ++i) stages.push_back(std::make_unique<ReadStage>(reading(unread)));
  std::vector<std::uint64_t> next(stages.size(), 1);
  std::jthread recording([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) record(1);
  });
  for (std::uint64_t id = 1; id <= 200; ++id) {
    std::vector<Pull> pulls(stages.size());
    std::vector<Operation> operations(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      pulls[i].id = id;
      pulls[i].after = id - 1;
      pulls[i].with_threads = true;
      operations[i].verb = Verb::pull;
      operations[i].body = &pulls[i];
      stages[i]->begin(operations[i]);
    }
    std::vector<std::jthread> finishing;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      finishing.emplace_back([&, i] { stages[i]->finish(operations[i]); });
    }
    finishing.clear();
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const View& got = pulls[i].view;
      next[i] += got.loss.discarded + got.loss.earlier + got.loss.torn;
      for (const TraceTuple& tuple : got.records) ASSERT_EQ(tuple.words[0], next[i]++);
      EXPECT_EQ(got.processes.at(0).state, RunState::running);
    }
  }
}

TEST_F(ReadStageTest, AProcessWithoutSegmentIsNamed) {
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: no segment");
  EXPECT_EQ(view.missing[0].node, "n1");
  EXPECT_EQ(view.missing[0].sources, 2u);
  start_process();
  record(1);
  EXPECT_EQ(pull(stage, 2, 1), "1");
}

TEST_F(ReadStageTest, ASegmentThatIsRefusedIsNamedWithTheReason) {
  start_process();
  const std::vector<char> content = test::content_of(segment->path());
  const std::filesystem::path file = segment->path();
  segment.reset();
  test::write_file(file, {content.begin(), content.begin() + 700});
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: refused");
  EXPECT_NE(view.missing[0].detail.find("truncated"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: no segment");
}

TEST_F(ReadStageTest, ASegmentOfAnotherPathmapIsRefused) {
  Segment::Config other = test::small_segment(directory.path());
  other.identity.fingerprint = 1;
  const Segment made(other);
  ReadStage stage = reading(newest);
  EXPECT_EQ(pull(stage, 1, 0), "process p0: refused");
  EXPECT_NE(view.missing[0].detail.find("another pathmap"), std::string::npos);
}

TEST_F(ReadStageTest, ASegmentTruncatedWhileMappedIsRefused) {
  start_process();
  ReadStage stage = reading(newest);
  pull(stage, 1, 0);
  ASSERT_EQ(::truncate(segment->path().c_str(), 600), 0);
  EXPECT_EQ(pull(stage, 2, 1), "process p0: refused");
}

TEST_F(ReadStageTest, ATraceElementThatIsNotInTheSegmentIsNamed) {
  start_process();
  record(1);
  ReadStage stage = reading(newest, {{3, 0}, {99, 0}});
  EXPECT_EQ(pull(stage, 1, 0), "1process p0: refused");
  EXPECT_EQ(view.missing[0].sources, 1u);
}

TEST_F(ReadStageTest, ItReportsProcessAndThreads) {
  start_process();
  segment->bind_thread(1, ::gettid());
  ReadStage stage = reading(newest);
  pull(stage, 1, 0, true);
  ASSERT_EQ(view.processes.size(), 1u);
  const ProcessReport& report = view.processes[0];
  EXPECT_EQ(report.process, 0u);
  EXPECT_EQ(report.pid, ::getpid());
  EXPECT_EQ(report.state, RunState::running);
  ASSERT_EQ(report.threads.size(), 2u);
  EXPECT_EQ(report.threads[0].thread, 7u);
  EXPECT_EQ(report.threads[0].tid, 0);
  EXPECT_EQ(report.threads[1].tid, ::gettid());
  EXPECT_EQ(report.threads[1].state, 'R');
  pull(stage, 2, 1);
  EXPECT_TRUE(view.processes[0].threads.empty());
}

TEST_F(ReadStageTest, AnOrderlyEndIsRecognisedIfAnotherProcessHasTheSameId) {
  start_process();
  Segment::Config config = test::small_segment(directory.path());
  config.identity.process = "p1";
  const Segment other(config);
  ReadStage stage = reading(newest, {{3, 0}, {3, 1}});
  pull(stage, 1, 0);
  segment.reset();
  pull(stage, 2, 1);
  ASSERT_EQ(view.processes.size(), 2u);
  EXPECT_EQ(view.processes[0].state, RunState::ended);
  EXPECT_EQ(view.processes[1].state, RunState::running);
}

}  // namespace
}  // namespace eventspace
