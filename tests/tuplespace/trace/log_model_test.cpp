#include "tests/tuplespace/trace/log_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuplespace/trace/segment_talk.h"

namespace eventspace {
namespace {

using test::Course;
using test::LogModel;
using test::ModelLogReader;
using testing::IsEmpty;
using testing::Not;
using Look = Course::Look;
using LogFault = LogModel::WriterFault;
using LogReaderFault = ModelLogReader::Fault;

/// The faults found in all courses of a reader that refreshes `refreshes` times, and its number of entries
/// after each.
struct LogVerdict {
  std::set<std::string> faults;
  std::set<std::string> outcomes;
  std::size_t courses{0};
};

/// A log, and every course of a reader while entries are added to it.
struct EveryLogCourse {
  std::size_t refreshes{1};
  std::uint64_t entries{3};
  Look look{Look::at_each_change};
  LogFault writer_fault{LogFault::none};
  LogReaderFault reader_fault{LogReaderFault::none};

  [[nodiscard]] LogVerdict run() const {
    const LogModel log(entries, writer_fault);
    LogVerdict verdict;
    Course course(log, 0, look);
    do {
      judge(course, verdict);
      ++verdict.courses;
    } while (course.next());
    return verdict;
  }

 private:
  void judge(Course& course, LogVerdict& verdict) const {
    ModelLogReader reader(course, reader_fault);
    std::string outcome;
    for (std::size_t i = 0; i < refreshes; ++i) {
      if (const std::string fault = reader.refresh(); !fault.empty()) verdict.faults.insert(fault);
      outcome += std::to_string(reader.entries()) + " ";
    }
    for (const std::size_t word : reader.live()) {
      if (course.load(word) == LogModel::no_memory) verdict.faults.insert("a ring has no memory");
    }
    verdict.outcomes.insert(outcome);
  }
};

TEST(LogModelTest, AReaderThatLooksAtAnyTimeSeesWholeEntriesInTheirOrder) {
  const LogVerdict verdict = EveryLogCourse{}.run();
  EXPECT_THAT(verdict.faults, IsEmpty());
  EXPECT_EQ(verdict.outcomes.size(), 4u);  // 0 to 3 entries
  EXPECT_GT(verdict.courses, 4u);
}

TEST(LogModelTest, AReaderThatLooksAgainGoesOnWhereItWas) {
  const LogVerdict verdict = EveryLogCourse{.refreshes = 3}.run();
  EXPECT_THAT(verdict.faults, IsEmpty());
  EXPECT_EQ(verdict.outcomes.size(), 20u);  // three numbers of 0 to 3, in nondecreasing order
}

TEST(LogModelTest, LookingAtEachStepFindsNoMore) {
  const LogVerdict verdict = EveryLogCourse{.entries = 2, .look = Look::at_each_step}.run();
  EXPECT_THAT(verdict.faults, IsEmpty());
  EXPECT_GT(verdict.courses, 500u);
  EXPECT_EQ(verdict.outcomes, EveryLogCourse{.entries = 2}.run().outcomes);
}

TEST(LogModelTest, AProcessThatIsKilledAtAnyStepLeavesTheEntriesThatItHadAdded) {
  const LogModel log(3);
  for (std::size_t step = 0; step <= log.steps(); ++step) {
    Course dead(log, step, Look::at_each_change);  // its first course reads everything at this step
    ModelLogReader reader(dead);
    EXPECT_EQ(reader.refresh(), "") << "at step " << step;
    std::uint64_t added = 0;
    for (std::size_t end = 0; end < log.after(step)[LogModel::log_end]; ++added)
      end += LogModel::size_of(added + 1);
    EXPECT_EQ(reader.entries(), added) << "at step " << step;
  }
}

// The model must be able to detect faults: each of these protocols is known to be wrong.

TEST(LogModelTest, PublishingFirstIsFoundOut) {
  EXPECT_THAT(EveryLogCourse{.writer_fault = LogFault::publishes_first}.run().faults, Not(IsEmpty()));
  const LogVerdict verdict = EveryLogCourse{.writer_fault = LogFault::publishes_before_the_checksum}.run();
  EXPECT_TRUE(verdict.faults.contains("a good checksum was called wrong"));
}

TEST(LogModelTest, ReservingLastIsFoundOut) {
  const LogVerdict verdict = EveryLogCourse{.writer_fault = LogFault::reserves_last}.run();
  EXPECT_TRUE(verdict.faults.contains("a good log was called truncated"));
}

TEST(LogModelTest, MeasuringTheFileFirstIsFoundOut) {
  const LogVerdict verdict = EveryLogCourse{.reader_fault = LogReaderFault::measures_first}.run();
  EXPECT_TRUE(verdict.faults.contains("a good log was called truncated"));
}

TEST(LogModelTest, ReadingBehindTheEndIsFoundOut) {
  const LogVerdict verdict = EveryLogCourse{.reader_fault = LogReaderFault::reads_on}.run();
  EXPECT_THAT(verdict.faults, Not(IsEmpty()));
}

// The model agrees with the real code: at rest both yield the same.

TEST(LogModelTest, TheRealLogDoesAsTheModel) {
  const test::TemporaryDirectory directory;
  Segment segment(test::small_segment(directory.path()));
  SegmentView view(segment.path());
  for (std::uint64_t done = 0; done <= 3; ++done) {
    const LogModel model(done);
    Course resting(model, model.steps(), Look::at_each_change);
    ModelLogReader expected(resting);
    EXPECT_EQ(expected.refresh(), "");
    EXPECT_EQ(view.refresh(), done > 0);
    EXPECT_FALSE(view.refresh());
    EXPECT_EQ(view.names().size(), expected.entries());
    EXPECT_TRUE(segment.add_name({0, 1, "entry"}));
  }
}

}  // namespace
}  // namespace eventspace
