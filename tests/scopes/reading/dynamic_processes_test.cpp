#include "scopes/reading/dynamic_processes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/trace/segment_talk.h"

namespace eventspace {
namespace {

class DynamicProcessesOfANode : public testing::Test {
 protected:
  /// Makes the segment of a process on `node`, and adds it.
  bool add(const std::string& process, const std::string& node) {
    Segment::Config config = test::small_segment(directory.path());
    config.identity.process = process;
    config.identity.node = node;
    segments.push_back(std::make_unique<Segment>(config));
    return add_again(segments.size() - 1);
  }
  bool add_again(std::size_t place) {
    return processes.add(std::make_unique<SegmentView>(segments[place]->path()));
  }
  /// Ends a reading of a directory that has these segments.
  void look_ends(const std::vector<std::size_t>& left) {
    std::vector<std::filesystem::path> files;
    for (const std::size_t place : left) files.push_back(segments[place]->path());
    std::ranges::sort(files);
    processes.keep_only(files);
  }

  test::TemporaryDirectory directory;
  std::vector<std::unique_ptr<Segment>> segments;
  DynamicProcesses processes{{{"n1", {100, 2}}, {"", {100, 2}}, {"n2", {102, 1}}}};
};

TEST_F(DynamicProcessesOfANode, ThoseOfOtherNodesShareItsNumbersAndNeverCollide) {
  EXPECT_TRUE(add("a", "n1"));
  EXPECT_TRUE(add("b", "laptop"));
  ASSERT_EQ(processes.list().size(), 2u);
  EXPECT_NE(processes.list()[0].number, processes.list()[1].number);
  EXPECT_TRUE(add("c", "n2"));
  EXPECT_EQ(processes.list()[2].number, 102u);
}

TEST_F(DynamicProcessesOfANode, OneWithoutANumberGetsOneWhenAnotherHasGone) {
  EXPECT_TRUE(add("a", "n2"));
  EXPECT_FALSE(add("b", "n2"));
  look_ends({0, 1});
  EXPECT_EQ(processes.refused(), 1u);
  look_ends({1});
  EXPECT_TRUE(add_again(1));
  look_ends({1});
  EXPECT_EQ(processes.refused(), 0u);
  ASSERT_EQ(processes.list().size(), 1u);
  EXPECT_EQ(processes.list()[0].name, "b");
  EXPECT_EQ(processes.list()[0].number, 102u);
}

TEST_F(DynamicProcessesOfANode, ANumberStaysTakenWhileAReaderHasTheSegment) {
  EXPECT_TRUE(add("a", "n2"));
  std::shared_ptr<const Generation> reading = processes.list()[0].run;
  look_ends({});
  EXPECT_TRUE(processes.list().empty());
  EXPECT_FALSE(add("b", "n2"));
  reading.reset();
  look_ends({1});
  EXPECT_TRUE(add_again(1));
}

TEST_F(DynamicProcessesOfANode, AProcessThatReplacedItselfIsListedOnce) {
  EXPECT_TRUE(add("a", "n1"));
  EXPECT_TRUE(add_again(0));
  EXPECT_EQ(processes.list().size(), 1u);
}

}  // namespace
}  // namespace eventspace
