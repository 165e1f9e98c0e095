#include "collectors/pull_collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <stdexcept>

#include "paths/views/view.h"
#include "tests/collectors/recording_test.h"

namespace eventspace {
namespace {

/// A stage whose answer the test sets.
class Asked final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return is_ready; }
  bool await(Operation& /*operation*/) override { return is_ready; }
  void finish(Operation& operation) override {
    if (throws) throw std::runtime_error("finish");
    operation.status = status;
    pull_of(operation).view = view;
  }

  bool is_ready{false};
  bool throws{false};
  Status status{Status::ok};
  View view;
};

/// One consumer's pulls through the path.
class Consuming {
 public:
  Consuming(PullLog& log, PullEnd end) {
    auto asked = std::make_unique<Asked>();
    asked_ = asked.get();
    stage_ = make_pull_collector(std::move(asked), log, end);
  }

  void begin(std::uint64_t id = 1) {
    pull_ = {};
    pull_.id = id;
    operation_ = {};
    operation_.verb = Verb::pull;
    operation_.body = &pull_;
    stage_->begin(operation_);
  }
  bool ready() { return stage_->ready(operation_); }
  bool await() { return stage_->await(operation_); }
  void finish() { stage_->finish(operation_); }
  void go() { stage_.reset(); }
  Asked& asked() { return *asked_; }

 private:
  Asked* asked_;
  std::unique_ptr<Stage> stage_;
  Pull pull_;
  Operation operation_;
};

class PullCollectorTest : public test::RecordingTest {
 protected:
  std::optional<EventRecord> in_flight() {
    const auto tuple = ring.reader().in_flight();
    return tuple ? std::optional(decode(*tuple)) : std::nullopt;
  }

  CollectSwitch collecting;
  RecordedThread thread{&collecting};
  PullLog log{ring.writer(), identity, thread, Clock::instance()};
  Consuming consumer{log, PullEnd::finished};
};

TEST_F(PullCollectorTest, APullIsRecordedWithAllThatIsKnownOfIt) {
  const std::uint64_t before = log.now();
  consumer.begin(42);
  consumer.asked().view.records.whole().resize(2);
  consumer.asked().view.missing = {{"n1", "process p0", MissingCause::no_segment, "", 3},
                                   {"n2", "server of node n2", MissingCause::no_answer, "", 4}};
  consumer.finish();
  const EventRecord record = newest();
  EXPECT_EQ(record.sequence, 1U);
  EXPECT_EQ(record.verb, Verb::pull);
  EXPECT_EQ(record.status, Status::ok);
  expect_of_the_collector(record, before);
  EXPECT_EQ(record.parameter, 42U);
  EXPECT_EQ(record.bytes, 2 * sizeof(TraceTuple));
  EXPECT_EQ(record.missed, 7U);
}

TEST_F(PullCollectorTest, WhatFailsIsRecordedAsItFailed) {
  consumer.begin();
  consumer.asked().status = Status::timed_out;
  consumer.finish();
  EXPECT_EQ(newest().status, Status::timed_out);
}

TEST_F(PullCollectorTest, APullThatEndsWithAnExceptionIsRecordedAndTheNextOneToo) {
  Consuming other(log, PullEnd::finished);
  other.begin();
  consumer.asked().throws = true;
  for (std::uint64_t pull = 1; pull <= 2; ++pull) {
    consumer.begin(pull);
    EXPECT_THROW(consumer.finish(), std::runtime_error);
    EXPECT_EQ(recorded(), pull);
    EXPECT_EQ(newest().status, Status::refused);
    EXPECT_EQ(newest().parameter, pull);
  }
  other.finish();
  EXPECT_EQ(recorded(), 3U);
  EXPECT_FALSE(in_flight());
}

TEST_F(PullCollectorTest, APullIsInFlightUntilItIsFinished) {
  EXPECT_FALSE(in_flight());
  consumer.begin();
  ASSERT_TRUE(in_flight());
  EXPECT_EQ(in_flight()->verb, Verb::pull);
  EXPECT_EQ(in_flight()->peer, 8U);
  EXPECT_FALSE(consumer.ready());
  EXPECT_FALSE(consumer.await());
  EXPECT_TRUE(in_flight());
  EXPECT_EQ(recorded(), 0U);
  consumer.finish();
  EXPECT_FALSE(in_flight());
  EXPECT_EQ(recorded(), 1U);
}

TEST_F(PullCollectorTest, TheAskingSideEndsWhenTheAnswerIsThereTheAnsweringSideWhenAllIsDone) {
  for (const PullEnd end : {PullEnd::ready, PullEnd::finished}) {
    Consuming other(log, end);
    other.begin();
    other.asked().is_ready = true;
    EXPECT_TRUE(other.ready());
    const std::uint64_t then = log.now();
    EXPECT_TRUE(other.ready());
    other.finish();
    EXPECT_EQ(newest().end <= then, end == PullEnd::ready);
  }
}

TEST_F(PullCollectorTest, OfPullsThatOverlapTheFirstIsInFlightAndEachIsRecorded) {
  Consuming second(log, PullEnd::finished);
  consumer.begin(5);
  const std::uint64_t first_start = in_flight()->start;
  second.begin(9);
  EXPECT_EQ(in_flight()->start, first_start);
  second.finish();
  EXPECT_EQ(newest().parameter, 9U);
  EXPECT_GT(newest().start, first_start);
  EXPECT_EQ(in_flight()->start, first_start);
  second.begin(10);
  consumer.finish();
  EXPECT_EQ(newest().parameter, 5U);
  EXPECT_EQ(newest().start, first_start);
  ASSERT_TRUE(in_flight());
  EXPECT_GT(in_flight()->start, first_start);
  second.finish();
  EXPECT_EQ(recorded(), 3U);
  EXPECT_FALSE(in_flight());
}

TEST_F(PullCollectorTest, APullThatIsNeverFinishedIsRecordedAsClosed) {
  consumer.begin();
  consumer.go();
  EXPECT_EQ(newest().status, Status::closed);
  EXPECT_FALSE(in_flight());
}

// Compares the log with a list of the pulls under way, for any number of consumers in any order.
TEST_F(PullCollectorTest, AnyNumberOfConsumersShareALog) {
  struct Pulling {
    std::unique_ptr<Consuming> consumer;
    std::uint64_t id{0};
    std::uint64_t before{0}, after{0};  // readings around its start
  };
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<Pulling> all(7);
  for (Pulling& one : all) one.consumer = std::make_unique<Consuming>(log, PullEnd::finished);
  std::list<Pulling*> under_way;
  std::uint64_t ended = 0;
  for (std::uint64_t id = 1; id <= 5000; ++id) {
    Pulling& one = all[random() % all.size()];
    if (const auto found = std::ranges::find(under_way, &one); found != under_way.end()) {
      one.consumer->finish();
      under_way.erase(found);
      ASSERT_EQ(recorded(), ++ended);
      EXPECT_EQ(newest().parameter, one.id);
      EXPECT_GE(newest().start, one.before);
      EXPECT_LE(newest().start, one.after);
    } else {
      one.before = log.now();
      one.consumer->begin(one.id = id);
      one.after = log.now();
      under_way.push_back(&one);
    }
    ASSERT_EQ(in_flight().has_value(), !under_way.empty());
    if (under_way.empty()) continue;
    EXPECT_GE(in_flight()->start, under_way.front()->before);
    EXPECT_LE(in_flight()->start, under_way.front()->after);
  }
}

}  // namespace
}  // namespace eventspace
