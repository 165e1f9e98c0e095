// Kills a process between any two instructions of an addition to its segment: readers find all of it or
// nothing, and a valid segment.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <random>

#include "tests/tuplespace/stepper.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

using test::added_trace;
using test::inventory_of;
using test::Stepper;

/// An addition of a process.
struct Addition {
  const char* name;
  std::function<bool(Segment&)> add;
};
std::ostream& operator<<(std::ostream& out, const Addition& addition) { return out << addition.name; }

class KilledWhileAddingTest : public testing::TestWithParam<Addition> {
 protected:
  // Every addition except the first fits into the reserved chunk; a large block never does.
  Stepper adding() {
    return {[this] {
              segment_ = std::make_unique<Segment>(test::small_segment(directory.path()));
              for (int i = 0; i < 3; ++i) GetParam().add(*segment_);
            },
            [this] { GetParam().add(*segment_); }};
  }
  // The file of the only process that left a segment.
  [[nodiscard]] std::filesystem::path file() const {
    return find_segments("wind", "n1", directory.path()).at(0);
  }
  [[nodiscard]] std::string look() const { return inventory_of(SegmentView(file())); }
  /// All bytes of the file, read at the cost of a copy.
  static std::vector<char> content_of(const FileHandle& file) {
    struct stat status {};
    ::fstat(file.get(), &status);
    std::vector<char> content(static_cast<std::size_t>(status.st_size));
    EXPECT_EQ(::pread(file.get(), content.data(), content.size(), 0), status.st_size);
    return content;
  }

  test::TemporaryDirectory directory;

 private:
  std::unique_ptr<Segment> segment_;  // in the child
};

const Addition additions[] = {
    {"Thread", [](Segment& segment) { return segment.add_thread(17, 4711).has_value(); }},
    {"TraceElement",
     [](Segment& segment) { return segment.add_traces(std::vector{added_trace("a", 8)}).has_value(); }},
    {"BlockOfFour",
     [](Segment& segment) { return segment.add_traces(std::vector(4, added_trace("a", 8))).has_value(); }},
    {"BlockThatNeedsMemory",
     [](Segment& segment) {
       return segment.add_traces(std::vector{added_trace("large", 8, 2000)}).has_value();
     }},
    {"Name",
     [](Segment& segment) {
       return segment.add_name({1, 2, "iteration_end"});
     }},
    {"LongName", [](Segment& segment) {
       return segment.add_name({1, 2, std::string(100, 'n')});
     }}};
INSTANTIATE_TEST_SUITE_P(Additions, KilledWhileAddingTest, testing::ValuesIn(additions),
                         [](const auto& given) { return std::string(given.param.name); });

TEST_P(KilledWhileAddingTest, ReadersThatOpenOrHaveItOpenSeeItEntirelyOrNotAtAll) {
  Stepper process = adding();
  SegmentView open(file());
  const std::string before = look();
  const FileHandle memory(::open(file().c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<char> content = content_of(memory);
  std::size_t instructions = 0;
  std::vector<std::string> seen{before};
  for (bool more = true; more; ++instructions) {
    more = process.step();
    std::vector<char> next = content_of(memory);
    if (next == content) continue;
    content = std::move(next);
    open.refresh();
    seen.push_back(look());
    ASSERT_EQ(inventory_of(open), seen.back());
  }
  if (instructions == 1) GTEST_SKIP() << "processes cannot be traced here";
  std::cout << instructions << " instructions, " << seen.size() << " states of the memory\n";
  EXPECT_NE(seen.back(), before);
  const auto changed =
      std::find_if(seen.begin(), seen.end(), [&](const auto& state) { return state != before; });
  EXPECT_GT(changed - seen.begin(), 2) << "it was not stopped while it wrote";
  for (auto state = changed; state != seen.end(); ++state) ASSERT_EQ(*state, seen.back());
}

TEST_P(KilledWhileAddingTest, TheSameWhenItIsReallyKilled) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 10; ++round) {
    std::string before;
    {
      Stepper process = adding();
      before = look();
      for (std::size_t i = random() % 3000; i > 0 && process.step(); --i) {
      }
    }
    EXPECT_EQ(test::refusal_of(file()), "");
    const std::string after = look();
    EXPECT_EQ(after.substr(0, 11), before.substr(0, 11));
    EXPECT_GE(after.size(), before.size());
    std::filesystem::remove(file());
  }
}

}  // namespace
}  // namespace eventspace
