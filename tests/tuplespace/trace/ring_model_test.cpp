#include "tests/tuplespace/trace/ring_model.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tuplespace/trace/trace_element.h"

namespace eventspace {
namespace {

using test::Course;
using test::ModelReader;
using test::ModelTuple;
using test::RingModel;
using Look = Course::Look;
using ReaderFault = ModelReader::Fault;
using WriterFault = RingModel::WriterFault;

/// The kinds of faults found in all courses that were run, the outcomes, and the number of courses.
struct Verdict {
  std::set<std::string> faults;
  std::set<std::string> outcomes;
  std::size_t courses{0};
};

void judge_batch(const ModelReader::Batch& batch, std::uint64_t after, Verdict& verdict) {
  std::string outcome = std::to_string(batch.last) + "-" + std::to_string(batch.discarded) + ":";
  std::uint64_t before = after + batch.discarded + batch.emptied;
  for (const ModelTuple& tuple : batch.tuples) {
    if (tuple.number() == 0) verdict.faults.insert("a torn tuple was accepted");
    if (tuple.number() != 0 && tuple.number() <= before) verdict.faults.insert("a tuple came out of order");
    before = tuple.words[0];
    outcome += std::to_string(tuple.words[0]) + ",";
  }
  if (batch.torn > 0) verdict.faults.insert("a tuple was called damaged");
  if (batch.refused_floor) verdict.faults.insert("a floor was called damaged");
  const std::uint64_t sum = batch.tuples.size() + batch.discarded + batch.emptied + batch.torn;
  if (sum != batch.last - after) verdict.faults.insert("the counts do not add up");
  verdict.outcomes.insert(outcome);
}

/// A ring of one threshold, and every course of one read that runs while the writer writes.
class EveryCourse {
 public:
  EveryCourse(std::uint64_t threshold, std::uint64_t operations, WriterFault writer_fault = WriterFault::none,
              ReaderFault reader_fault = ReaderFault::none)
      : ring_(threshold, operations, writer_fault), reader_fault_(reader_fault) {}
  /// Without records in the next lane, which halves the steps: running a course at each step needs that.
  static EveryCourse alone(std::uint64_t threshold, std::uint64_t operations) {
    EveryCourse courses(threshold, 0);
    courses.ring_ = RingModel(threshold, operations, WriterFault::none, RingModel::Neighbour::is_idle);
    return courses;
  }

  /// While the owner empties the ring up to tuple `upto`, at every step at which it can.
  static Verdict while_emptied(std::uint64_t threshold, std::uint64_t operations, std::uint64_t upto,
                               ReaderFault reader_fault = ReaderFault::none) {
    using Neighbour = RingModel::Neighbour;
    const RingModel plain(threshold, operations, WriterFault::none, Neighbour::is_idle);
    Verdict verdict;
    for (std::size_t step = 1; step <= plain.steps(); ++step) {
      if (plain.after(step)[0] < upto) continue;
      const RingModel ring(threshold, operations, WriterFault::none, Neighbour::is_idle, {upto, step});
      // A reader never gets tuples that were emptied before it started.
      for (const std::size_t first : {std::size_t{0}, step + 1}) {
        Course course(ring, first, Look::at_each_change);
        do {
          const ModelReader::Batch batch = ModelReader(ring, course, reader_fault).read_after(0);
          judge_batch(batch, 0, verdict);
          const bool has_emptied = !batch.tuples.empty() && batch.tuples.front().words[0] <= upto;
          if (first > step && has_emptied) verdict.faults.insert("an emptied tuple was read");
          ++verdict.courses;
        } while (course.next());
      }
    }
    return verdict;
  }

  EveryCourse& looking(Look look) {
    look_ = look;
    return *this;
  }

  Verdict of_read_after(std::uint64_t after) {
    return run(first_step_with(after), [after](ModelReader& reader, Verdict& verdict) {
      judge_batch(reader.read_after(after), after, verdict);
    });
  }
  Verdict of_newest() {
    return run(0, [](ModelReader& reader, Verdict& verdict) {
      const auto tuple = reader.newest();
      if (tuple && tuple->number() == 0) verdict.faults.insert("a torn tuple was accepted");
      verdict.outcomes.insert(tuple ? std::to_string(tuple->words[0]) : "none");
    });
  }
  Verdict of_in_flight() {
    return run(0, [](ModelReader& reader, Verdict& verdict) {
      const auto tuple = reader.in_flight();
      if (tuple && tuple->number(3) == 0) verdict.faults.insert("a torn start half was accepted");
      verdict.outcomes.insert(tuple ? std::to_string(tuple->words[0]) : "none");
    });
  }
  Verdict of_both() {
    return run(0, [](ModelReader& reader, Verdict& verdict) {
      const auto both = reader.both();
      if (both && both->finished.number() == 0) verdict.faults.insert("a torn tuple was accepted");
      if (both && both->in_flight && both->in_flight->number(3) != both->finished.words[0] + 1)
        verdict.faults.insert("a torn start half was accepted");
      verdict.outcomes.insert(!both             ? "none"
                              : both->in_flight ? std::to_string(both->finished.words[0]) + "+"
                                                : std::to_string(both->finished.words[0]));
    });
  }

 private:
  // A reader passes only numbers that have been published: it starts at the first step where that holds.
  [[nodiscard]] std::size_t first_step_with(std::uint64_t published) const {
    std::size_t step = 0;
    while (ring_.after(step)[0] < published) ++step;
    return step;
  }

  template <class Read>
  Verdict run(std::size_t first_step, Read read) {
    Verdict verdict;
    Course course(ring_, first_step, look_);
    do {
      ModelReader reader(ring_, course, reader_fault_);
      read(reader, verdict);
      ++verdict.courses;
    } while (course.next());
    return verdict;
  }

  RingModel ring_;
  ReaderFault reader_fault_;
  Look look_{Look::at_each_change};
};

class RingModelTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t threshold{GetParam()};
  std::uint64_t operations{threshold + 4};  // once around the ring and two more
};
INSTANTIATE_TEST_SUITE_P(Thresholds, RingModelTest, testing::Values(1, 2, 3),
                         [](const auto& given) { return "Threshold" + std::to_string(given.param); });

const std::set<std::string> none{};

TEST_P(RingModelTest, WhatAReaderAcceptsIsWholeAndCounted) {
  for (std::uint64_t after = 0; after <= 2; ++after) {
    const Verdict verdict = EveryCourse(threshold, operations).of_read_after(after);
    EXPECT_EQ(verdict.faults, none) << "after " << after;
    EXPECT_GT(verdict.courses, 20u);
  }
}

TEST_P(RingModelTest, TheNewestTupleIsWhole) {
  const Verdict verdict = EveryCourse(threshold, operations).of_newest();
  EXPECT_EQ(verdict.faults, none);
  EXPECT_EQ(verdict.outcomes.size(), operations + 1);  // each can be the newest, or none
}

TEST_P(RingModelTest, TheOperationInFlightIsWhole) {
  const Verdict verdict = EveryCourse(threshold, operations).of_in_flight();
  EXPECT_EQ(verdict.faults, none);
  EXPECT_EQ(verdict.outcomes.size(), operations + 1);
}

TEST_P(RingModelTest, TheNewestTupleAndTheOneInFlightAreWholeWhenTheyAreReadTogether) {
  const Verdict verdict = EveryCourse(threshold, operations).of_both();
  EXPECT_EQ(verdict.faults, none);
  // Each alone or with the next one (the last one only alone), or none.
  EXPECT_EQ(verdict.outcomes.size(), 2 * operations);
}

TEST_P(RingModelTest, WhatIsReadWhileTheRingIsEmptiedIsWholeAndCounted) {
  for (std::uint64_t upto = 1; upto <= threshold + 2; ++upto) {
    const Verdict verdict = EveryCourse::while_emptied(threshold, threshold + 3, upto);
    EXPECT_EQ(verdict.faults, none) << "up to " << upto;
    EXPECT_GT(verdict.courses, 20u);
  }
}

TEST_P(RingModelTest, AWriterAtRestLeavesTheNewestThresholdReadable) {
  const RingModel ring(threshold, operations);
  for (std::size_t step = 0; step <= ring.steps(); ++step) {
    Course resting(ring, step, Look::at_each_change);  // its first course reads everything at this step
    const ModelReader::Batch batch = ModelReader(ring, resting).read_after(0);
    const std::uint64_t head = ring.after(step)[0];
    EXPECT_EQ(batch.tuples.size(), std::min(head, threshold)) << "at step " << step;
    EXPECT_EQ(batch.discarded, head - batch.tuples.size());
  }
}

TEST_P(RingModelTest, LookingWhereAWordChangesSeesWhatLookingAtEachStepSees) {
  const std::uint64_t few = threshold + 2;
  EXPECT_EQ(EveryCourse::alone(threshold, few).of_newest().outcomes,
            EveryCourse::alone(threshold, few).looking(Look::at_each_step).of_newest().outcomes);
  EXPECT_EQ(EveryCourse::alone(threshold, few).of_in_flight().outcomes,
            EveryCourse::alone(threshold, few).looking(Look::at_each_step).of_in_flight().outcomes);
}

// The model must be able to detect faults: each of these protocols is known to be wrong.

TEST_P(RingModelTest, PublishingBeforeTheEndHalfIsFoundOut) {
  const Verdict verdict =
      EveryCourse(threshold, operations, WriterFault::publishes_before_the_end_half).of_read_after(0);
  EXPECT_TRUE(verdict.faults.contains("a torn tuple was accepted"));
}

TEST_P(RingModelTest, NumberingBeforeTheStartHalfIsFoundOut) {
  const Verdict verdict =
      EveryCourse(threshold, operations, WriterFault::numbers_before_the_start_half).of_in_flight();
  EXPECT_TRUE(verdict.faults.contains("a torn start half was accepted"));
}

TEST_P(RingModelTest, ASlotLessIsFoundOut) {
  const Verdict verdict = EveryCourse(threshold, operations, WriterFault::one_slot_less).of_read_after(0);
  EXPECT_FALSE(verdict.faults.empty());
}

TEST_P(RingModelTest, LookingOnlyOnceAtPublishedIsFoundOut) {
  EveryCourse courses(threshold, operations, WriterFault::none, ReaderFault::looks_only_once);
  EXPECT_TRUE(courses.of_read_after(0).faults.contains("a torn tuple was accepted"));
  EXPECT_TRUE(courses.of_newest().faults.contains("a torn tuple was accepted"));
  EXPECT_TRUE(courses.of_both().faults.contains("a torn tuple was accepted"));
}

TEST_P(RingModelTest, LookingAtTheHeadBeforeTheFloorIsFoundOut) {
  const Verdict verdict =
      EveryCourse::while_emptied(threshold, threshold + 3, 2, ReaderFault::looks_at_the_head_first);
  EXPECT_TRUE(verdict.faults.contains("a floor was called damaged"));
}

TEST_P(RingModelTest, TrustingOneTupleTooManyIsFoundOut) {
  EveryCourse courses(threshold, operations, WriterFault::none, ReaderFault::trusts_one_too_many);
  EXPECT_FALSE(courses.of_read_after(0).faults.empty());
}

// The model agrees with the real code: at rest both yield the same.

/// A block of two rings.
class RealRings {
 public:
  explicit RealRings(std::uint32_t threshold)
      : memory_(TraceRing::bytes(threshold, lanes) / sizeof(TraceTuple)), threshold_(threshold) {}
  [[nodiscard]] TraceWriter writer(std::uint16_t lane) { return {bytes(), threshold_, lanes, lane}; }
  [[nodiscard]] TraceReader reader(std::uint16_t lane) { return {bytes(), threshold_, lanes, lane}; }

 private:
  static constexpr std::uint16_t lanes = RingModel::lanes;
  std::byte* bytes() { return reinterpret_cast<std::byte*>(memory_.data()); }
  std::vector<TraceTuple> memory_;
  std::uint32_t threshold_;
};

TEST_P(RingModelTest, TheRealRingDoesAsTheModel) {
  RealRings real(static_cast<std::uint32_t>(threshold));
  TraceWriter writer = real.writer(0);
  TraceWriter beside = real.writer(1);
  for (std::uint64_t done = 0; done <= operations; ++done) {
    const RingModel model(threshold, done);
    Course resting(model, model.steps(), Look::at_each_change);
    const ModelReader::Batch expected = ModelReader(model, resting).read_after(0);
    std::vector<TraceTuple> tuples;
    const TraceReader::Batch batch = real.reader(0).read_after(0, 100, tuples);
    EXPECT_EQ(batch.last, expected.last);
    EXPECT_EQ(batch.discarded, expected.discarded);
    ASSERT_EQ(tuples.size(), expected.tuples.size());
    for (std::size_t i = 0; i < tuples.size(); ++i)
      EXPECT_EQ(tuples[i].words[0], expected.tuples[i].words[0]);
    EXPECT_EQ(real.reader(1).published(), done);
    writer.begin(1, 2, 3);
    beside.begin(11, 12, 13);
    EXPECT_EQ(real.reader(0).in_flight()->words[3], 3u);
    EXPECT_EQ(real.reader(1).in_flight()->words[3], 13u);
    beside.end(14, 15, 16, 17);
    writer.end(4, 5, 6, 7);
  }
}

}  // namespace
}  // namespace eventspace
