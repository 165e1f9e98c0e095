#include "scopes/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/reading/process_talk.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A consumer's scope over one trace element of process p0, which keeps four events.
class EventScopeTest : public testing::Test {
 protected:
  EventScope scope(const std::string& wrapper, Parameters parameters = {}, std::uint32_t batch = 1000) {
    ScopeTree tree = events(batch);
    tree.root.wrapper = wrapper;
    tree.root.parameters = std::move(parameters);
    return open(std::move(tree));
  }
  static ScopeTree events(std::uint32_t batch = 1000) {
    ScopeNode read;
    read.name = "process p0";
    read.wrapper = "read";
    read.sources = {{3, 0}};
    ScopeTree tree{"events", 0xfeed, true, batch, 0, {}, {}};
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = {read};
    return tree;
  }
  EventScope open(ScopeTree tree) {
    return {std::move(tree), ScopeSurroundings{nullptr, &segments, &names, 0xfeed, {}}};
  }
  void start_process() {
    segment.reset();
    segment = std::make_unique<Segment>(test::small_segment(directory.path()));
    writer = segment->writer(0);
    recorded = 0;
  }
  void record(std::uint64_t count) {
    test::record_events(writer, recorded + 1, recorded + count);
    recorded += count;
  }
  std::vector<std::uint64_t> pull(EventScope& from) {
    view = from.pull({});
    return test::sequences(view);
  }

  test::TemporaryDirectory directory;
  test::PlainNames names;
  LocalSegments segments{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  std::unique_ptr<Segment> segment;
  TraceWriter writer;
  std::uint64_t recorded{0};
  View view;
};

TEST_F(EventScopeTest, EveryEventOfEachRunOfAProcessComesOnce) {
  start_process();
  EventScope events = scope("gather", {}, 2);
  std::vector<std::uint64_t> got, expected;
  const auto collect = [&] {
    const std::vector<std::uint64_t> some = pull(events);
    got.insert(got.end(), some.begin(), some.end());
    EXPECT_THAT(view.missing, IsEmpty());
    EXPECT_EQ(view.loss, Loss{});
  };
  const std::uint64_t runs = 12;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    const std::uint64_t count = 1 + run % 4;  // more than a batch, and less
    record(count);
    for (std::uint64_t sequence = 1; sequence <= count; ++sequence) expected.push_back(sequence);
    collect();
    if (run < runs) start_process();
  }
  for (int pulls = 0; pulls < 30; ++pulls) collect();
  EXPECT_EQ(got, expected);
}

TEST_F(EventScopeTest, AViewThatIsSortedBackwardsLosesNothing) {
  start_process();
  EventScope events = scope("sort", {{"descending", true}});
  record(3);
  EXPECT_THAT(pull(events), ElementsAre(3, 2, 1));
  record(2);
  EXPECT_THAT(pull(events), ElementsAre(5, 4));
  start_process();
  record(2);
  EXPECT_THAT(pull(events), ElementsAre(2, 1));
  EXPECT_EQ(view.loss.repeated, 0u);
}

// --- where a scope begins to read ------------------------------------------------------------------

TEST_F(EventScopeTest, AMonitorThatStartsLateSeesTheEventsStillKept) {
  start_process();
  record(10);
  EventScope events = scope("gather");
  EXPECT_THAT(pull(events), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(view.loss, (Loss{.earlier = 6}));
}

TEST_F(EventScopeTest, SinceLongAgoIsAllThatIsKept) {
  start_process();
  record(3);  // at ticks 1000 and so on, long before now
  ScopeTree tree = events();
  tree.since = std::chrono::hours(24 * 365 * 100);
  EventScope scope = open(tree);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2, 3));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(EventScopeTest, SinceNowLeavesOutOlderEventsAndCountsThem) {
  start_process();
  record(10);
  ScopeTree tree = events();
  tree.since = std::chrono::nanoseconds(0);
  EventScope scope = open(tree);
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_EQ(view.loss, (Loss{.filtered = 4, .earlier = 6}));
  record(2);  // later events are unread, whatever their times
  EXPECT_THAT(pull(scope), ElementsAre(11, 12));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(EventScopeTest, AProcessThatStartsAfterTheFirstPullIsReadFromItsBeginning) {
  ScopeTree tree = events();
  tree.since = std::chrono::nanoseconds(0);
  EventScope scope = open(tree);
  EXPECT_THAT(pull(scope), IsEmpty());
  start_process();
  record(2);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2));
  start_process();
  record(1);
  EXPECT_THAT(pull(scope), ElementsAre(1));
  EXPECT_EQ(view.loss, Loss{});
}

// A source that is read for the first time at a later pull is read from the moment to which the first pull
// looked back, on the timeline of the caller.
TEST_F(EventScopeTest, LooksBackOnTheTimelineOfItsCaller) {
  constexpr std::chrono::steady_clock::time_point first{std::chrono::hours(7)};
  constexpr std::chrono::hours century(24 * 365 * 100);
  start_process();
  record(3);
  ScopeTree tree = events();
  tree.since = std::chrono::nanoseconds(0);
  ScopeTree without = tree;
  without.root.children[0].sources = {{3, 1}};
  for (const auto later : {std::chrono::hours(0), century}) {
    EventScope scope = open(without);
    scope.reconfigure(tree);
    (void)scope.pull({.at = first});
    view = scope.pull({.at = first + later});
    const bool is_all = later == century;
    EXPECT_EQ(view.records.size(), is_all ? 3u : 0u);
    EXPECT_EQ(view.loss, (Loss{.filtered = is_all ? 0u : 3u}));
  }
}

}  // namespace
}  // namespace eventspace
