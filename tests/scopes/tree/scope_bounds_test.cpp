#include "scopes/tree/scope_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <eventspace/error.h>
#include "scopes/reading/read_stage.h"
#include "scopes/tree/scope_codec.h"
#include "tests/scopes/reading/process_talk.h"

// Trees that a peer sends but that no pathmap can yield.

namespace eventspace {
namespace {

using testing::HasSubstr;

class ScopeBoundsTest : public testing::Test {
 protected:
  static ScopeNode read(std::vector<SourceRef> sources) {
    ScopeNode node;
    node.name = "process p0";
    node.wrapper = "read";
    node.sources = std::move(sources);
    return node;
  }
  ScopeBoundsTest() {
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = {read({{3, 0}, {5, 0}})};
  }
  /// The peer's error text; empty if the tree is accepted.
  std::string refusal() const {
    try {
      check_scope_tree(tree,
                       [](const SourceRef& source) { return source.trace < 100 && source.process < 3; });
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return {};
  }

  ScopeTree tree;
};

TEST_F(ScopeBoundsTest, ATreeOfThePlanIsAccepted) { EXPECT_EQ(refusal(), ""); }

TEST_F(ScopeBoundsTest, ASubscriptionIsNotPolledTooOften) {
  for (const auto look : {std::chrono::nanoseconds(-1), std::chrono::nanoseconds(999'999),
                          std::chrono::nanoseconds(std::chrono::hours(2))}) {
    tree.look = look;
    EXPECT_THAT(refusal(), HasSubstr("a server allows each 1 ms to 1 h")) << look.count();
  }
  tree.look = std::chrono::milliseconds(1);
  EXPECT_EQ(refusal(), "");
}

TEST_F(ScopeBoundsTest, ASourceThatThePlanDoesNotHaveIsRefused) {
  tree.root.children.push_back(read({{3, 400'000}}));
  EXPECT_EQ(refusal(), "the pathmap has no trace element 3 in process 400000");
}

TEST_F(ScopeBoundsTest, ASourceThatComesTwiceIsRefused) {
  tree.root.children.push_back(read({{5, 0}}));
  EXPECT_EQ(refusal(), "the scope names trace element 5 of process 0 twice");
}

TEST_F(ScopeBoundsTest, FourMillionRepeatsOfOneSourceAreRefused) {
  tree.root.children = {read(std::vector<SourceRef>(4'000'000, {3, 0}))};
  EXPECT_THAT(refusal(), HasSubstr("twice"));
}

TEST_F(ScopeBoundsTest, MoreNodesThanTheSourcesNeedAreRefused) {
  tree.root.children.assign(1000, read({}));
  EXPECT_EQ(refusal(), "a scope of 1001 nodes for 0 trace elements; it may have 256");
}

TEST_F(ScopeBoundsTest, MoreThreadsThanAServerAllowsAreRefused) {
  tree.root.asking = Asking::threads;
  tree.root.threads = max_asking_threads;
  EXPECT_EQ(refusal(), "");
  tree.root.children[0].asking = Asking::threads;
  EXPECT_EQ(refusal(), "the scope asks with 257 threads in all; a server allows 256");
}

TEST_F(ScopeBoundsTest, ARouteThatGoesBackAndForthIsRefused) {
  tree.root.children[0].route.assign(100'000, "tcp://127.0.0.1:7101");
  EXPECT_THAT(refusal(), HasSubstr("a route of 100000 servers"));
}

TEST_F(ScopeBoundsTest, RangesOfProcessesThatOverlapAreRefused) {
  tree.root.children.push_back(read({{7, 1}}));
  tree.root.children[0].dynamic = {10, 5};
  tree.root.children[1].dynamic = {15, 5};
  EXPECT_EQ(refusal(), "");
  tree.root.children[1].dynamic = {14, 5};
  EXPECT_THAT(refusal(), HasSubstr("the same processes"));
}

TEST_F(ScopeBoundsTest, NegativeTimesAreRefused) {
  tree.root.children[0].timeout = std::chrono::nanoseconds(-1);
  EXPECT_THAT(refusal(), HasSubstr("negative"));
}

TEST_F(ScopeBoundsTest, ReadPositionsWithoutEndAreRefused) {
  tree.resume.resize(ScopeBounds::positions + 1);
  EXPECT_THAT(refusal(), HasSubstr("read positions"));
}

TEST_F(ScopeBoundsTest, AParameterOfVeryManyTextsCannotBeRead) {
  tree.root.parameters["verbs"] = std::vector<std::string>(257, "take");
  EXPECT_THROW((void)decode_scope_tree(encode(tree)), ConfigurationError);
  tree.root.parameters["verbs"] = std::vector<std::string>(256, "take");
  EXPECT_NO_THROW((void)decode_scope_tree(encode(tree)));
}

// Comparing them one by one took a minute; the limit is for busy machines.
TEST(ReadStageBoundsTest, FourHundredThousandProcessesAreFollowedInLinearTime) {
  test::TemporaryDirectory directory;
  LocalSegments segments({"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)});
  const test::PlainNames names;
  std::vector<SourceRef> sources;
  for (std::uint32_t process = 0; process < 400'000; ++process) sources.push_back({0, process});
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  const ReadStage stage({sources, {}}, {}, segments, names);
  EXPECT_FALSE(patience.passed());
}

}  // namespace
}  // namespace eventspace
