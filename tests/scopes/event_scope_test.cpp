#include "scopes/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/process_talk.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A consumer's scope over one trace element of process p0, which keeps four events.
class EventScopeTest : public testing::Test {
 protected:
  EventScope scope(const std::string& wrapper, Parameters parameters = {}, std::uint32_t batch = 1000) {
    ScopeNode read;
    read.name = "process p0";
    read.wrapper = "read";
    read.sources = {{3, 0}};
    ScopeTree tree{"events", 0xfeed, true, batch, {}};
    tree.root.name = "all";
    tree.root.wrapper = wrapper;
    tree.root.parameters = std::move(parameters);
    tree.root.children = {read};
    return {tree, {nullptr, &segments, &names, 0xfeed, {}}};
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
    std::vector<std::uint64_t> sequences;
    for (const TraceTuple& tuple : view.records) sequences.push_back(tuple.words[0]);
    return sequences;
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

}  // namespace
}  // namespace eventspace
