#include <gmock/gmock.h>

#include <numeric>

#include <eventspace/error.h>
#include "paths/links/link_pool.h"
#include "scopes/scope.h"
#include "tests/paths/links/free_port.h"
#include "tests/scopes/reading/process_talk.h"
#include "tests/scopes/reading/reading_server.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A scope that changes while it is in use. It reads one trace element of process p0, which keeps four
/// events, here or through a server.
class ReconfigureTest : public testing::Test {
 protected:
  ReconfigureTest() { serve(); }

  static ScopeNode node(const std::string& wrapper, std::vector<ScopeNode> children) {
    ScopeNode node;
    node.name = wrapper;
    node.wrapper = wrapper;
    node.children = std::move(children);
    return node;
  }
  static ScopeNode read() {
    ScopeNode read;
    read.name = "process p0";
    read.wrapper = "read";
    read.sources = {{3, 0}};
    return read;
  }
  static ScopeTree tree(ScopeNode root) {
    ScopeTree tree;
    tree.scope = "events";
    tree.fingerprint = 0xfeed;
    tree.next = true;
    tree.root = std::move(root);
    return tree;
  }
  static ScopeTree flat() { return tree(node("gather", {read()})); }
  static ScopeTree deep() { return tree(node("merge", {node("gather", {node("gather", {read()})})})); }
  static ScopeTree even_ones() {
    ScopeNode filter = node("filter", {node("gather", {read()})});
    filter.parameters = {{"where", std::string("sequence % 2 == 0")}};
    return tree(node("gather", {filter}));
  }
  static ScopeTree counting() {
    ScopeNode aggregate = node("aggregate", {read()});
    aggregate.parameters = {{"of", std::string("1")}, {"as", std::string("sum")}};
    return tree(node("gather", {aggregate}));
  }
  /// The tree with everything below its root on the server.
  [[nodiscard]] ScopeTree served(ScopeTree tree) const {
    ScopeNode there = node("gather", std::move(tree.root.children));
    there.node = "n1";
    there.endpoint = test::local_endpoint(port);
    tree.root.children = {there};
    return tree;
  }

  EventScope open(ScopeTree tree) {
    return {std::move(tree), {&links, &segments, &names, 0xfeed, {test::local_endpoint(port)}}};
  }
  void serve() { server = std::make_unique<test::ReadingServer>(port, directory.path(), names); }
  void record(std::uint64_t count) {
    test::record_events(writer, recorded + 1, recorded + count);
    recorded += count;
  }
  std::vector<std::uint64_t> pull(EventScope& from) {
    view = from.pull({Deadline::after(std::chrono::seconds(10)), false});
    return test::sequences(view);
  }

  test::TemporaryDirectory directory;
  test::PlainNames names;
  LocalSegments segments{{"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0)}};
  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ReadingServer> server;
  Network network;
  LinkPool links{network};
  std::unique_ptr<Segment> segment{std::make_unique<Segment>(test::small_segment(directory.path()))};
  TraceWriter writer{segment->writer(0)};
  std::uint64_t recorded{0};
  View view;
};

TEST_F(ReconfigureTest, EachEventComesOnceAfterAnyChange) {
  const std::vector<ScopeTree> shapes{flat(), deep(), served(flat()), served(deep())};
  EventScope scope = open(shapes[0]);
  std::vector<std::uint64_t> got;
  for (std::size_t round = 0; round < 60; ++round) {
    record(round % 5);  // at most as many as are kept
    if (round % 3 == 0) scope.reconfigure(shapes[(round * 7 / 3 + 1) % shapes.size()]);
    const auto some = pull(scope);
    got.insert(got.end(), some.begin(), some.end());
    EXPECT_EQ(view.loss, Loss{}) << "round " << round;
    EXPECT_THAT(view.missing, IsEmpty()) << "round " << round;
  }
  const auto rest = pull(scope);
  got.insert(got.end(), rest.begin(), rest.end());
  std::vector<std::uint64_t> all(recorded);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(got, all);
}

TEST_F(ReconfigureTest, ItChangesAfterThePullThatTellsThePositions) {
  EventScope scope = open(flat());
  scope.reconfigure(served(deep()));
  EXPECT_EQ(scope.tree().root.wrapper, "gather");
  (void)pull(scope);
  EXPECT_EQ(scope.tree().root.wrapper, "merge");
  EXPECT_THAT(scope.tree().resume, IsEmpty());
  ASSERT_EQ(view.processes.size(), 1u);
  const ProcessReport& p0 = view.processes[0];
  ASSERT_EQ(view.positions.size(), 1u);
  EXPECT_EQ(view.positions[0].trace, 3u);
  EXPECT_EQ(view.positions[0].pid, p0.pid);
  EXPECT_EQ(view.positions[0].sequence, 0u);
}

TEST_F(ReconfigureTest, EventsOverwrittenInBetweenAreDiscarded) {
  EventScope scope = open(flat());
  record(2);
  scope.reconfigure(deep());
  EXPECT_THAT(pull(scope), ElementsAre(1, 2));
  record(6);
  EXPECT_THAT(pull(scope), ElementsAre(5, 6, 7, 8));
  Loss expected;
  expected.discarded = 2;
  EXPECT_EQ(view.loss, expected);
}

TEST_F(ReconfigureTest, EventsDroppedByAFilterDoNotComeBack) {
  for (const bool on_server : {false, true}) {
    EventScope scope = open(on_server ? served(even_ones()) : even_ones());
    const std::uint64_t before = recorded;
    record(3);
    scope.reconfigure(flat());
    (void)pull(scope);
    record(1);
    EXPECT_THAT(pull(scope), ElementsAre(before + 4));
    EXPECT_EQ(view.loss, Loss{});
  }
}

TEST_F(ReconfigureTest, NoEventIsInTwoNumbers) {
  EventScope scope = open(counting());
  double sum = 0;
  for (const ScopeTree& next : {served(counting()), counting(), served(counting())}) {
    record(3);
    scope.reconfigure(next);
    (void)pull(scope);
    for (const Aggregate& aggregate : view.aggregates) sum += aggregate.value();
  }
  EXPECT_EQ(sum, static_cast<double>(recorded));
}

TEST_F(ReconfigureTest, AnInvalidTreeChangesNothing) {
  EventScope scope = open(flat());
  ScopeTree unknown = deep();
  unknown.root.wrapper = "gatter";
  EXPECT_THROW(scope.reconfigure(unknown), ConfigurationError);
  ScopeTree of_another_plan = deep();
  of_another_plan.fingerprint = 1;
  EXPECT_THROW(scope.reconfigure(of_another_plan), ConfigurationError);
  record(2);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2));
  record(1);
  EXPECT_THAT(pull(scope), ElementsAre(3));
  EXPECT_EQ(scope.tree().root.wrapper, "gather");
}

TEST_F(ReconfigureTest, AroundAServerThatIsGoneItContinuesAfterTheLastView) {
  EventScope scope = open(served(flat()));
  record(3);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2, 3));
  server.reset();
  scope.reconfigure(flat());
  record(2);
  view = scope.pull({Deadline::after(std::chrono::milliseconds(200)), false});
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].what, "server of node n1");
  EXPECT_THAT(pull(scope), ElementsAre(4, 5));
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ReconfigureTest, AServerThatStartsAnewLaterIsNotAskedToBeginWhereItWasThen) {
  EventScope scope = open(flat());
  record(1);
  scope.reconfigure(served(flat()));
  EXPECT_THAT(pull(scope), ElementsAre(1));
  record(4);
  EXPECT_THAT(pull(scope), ElementsAre(2, 3, 4, 5));
  record(3);
  EXPECT_THAT(pull(scope), ElementsAre(6, 7, 8));
  server.reset();
  serve();
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  do {
    EXPECT_THAT(pull(scope), IsEmpty());
  } while (view.processes.empty() && !patience.passed());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ReconfigureTest, AnotherClockDoesNotMakeEventsOfALaterRunLookRepeated) {
  EventScope scope = open(tree(node("convert", {node("gather", {read()})})));  // nanoseconds since 1970
  record(3);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2, 3));
  scope.reconfigure(flat());  // ticks, which are smaller numbers
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_THAT(pull(scope), IsEmpty());
  segment.reset();
  segment = std::make_unique<Segment>(test::small_segment(directory.path()));
  writer = segment->writer(0);
  recorded = 0;
  record(2);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ReconfigureTest, TheNewestEventsHaveNoPositions) {
  ScopeTree newest = flat();
  newest.next = false;
  EventScope scope = open(newest);
  record(3);
  EXPECT_THAT(pull(scope), ElementsAre(3));
  newest.root = deep().root;
  scope.reconfigure(newest);
  EXPECT_THAT(pull(scope), ElementsAre(3));
  EXPECT_THAT(view.positions, IsEmpty());
  EXPECT_THAT(pull(scope), ElementsAre(3));
}

}  // namespace
}  // namespace eventspace
