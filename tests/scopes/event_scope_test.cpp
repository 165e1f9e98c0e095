#include "scopes/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paths/link.h"
#include "tests/paths/free_port.h"
#include "tests/scopes/process_talk.h"
#include "tests/scopes/reading_server.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::uint64_t> sequences(const View& view) {
  std::vector<std::uint64_t> result;
  for (const TraceTuple& tuple : view.records) result.push_back(tuple.words[0]);
  return result;
}

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
    return sequences(view);
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

// --- where a monitor begins -------------------------------------------------------------------------

TEST_F(EventScopeTest, AMonitorThatStartsLateSeesWhatTheTraceElementStillHolds) {
  start_process();
  record(10);
  EventScope events = scope("gather");
  EXPECT_THAT(pull(events), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(view.loss, (Loss{.earlier = 6}));
}

TEST_F(EventScopeTest, SinceLongAgoIsAllThatIsKept) {
  start_process();
  record(3);  // at ticks 1000 and so on: when the counter had just begun
  ScopeTree tree = events();
  tree.since = std::chrono::hours(24 * 365 * 100);
  EventScope scope = open(tree);
  EXPECT_THAT(pull(scope), ElementsAre(1, 2, 3));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(EventScopeTest, SinceNowLeavesOutWhatIsOlderAndCountsIt) {
  start_process();
  record(10);
  ScopeTree tree = events();
  tree.since = std::chrono::nanoseconds(0);
  EventScope scope = open(tree);
  EXPECT_THAT(pull(scope), IsEmpty());
  EXPECT_EQ(view.loss, (Loss{.filtered = 4, .earlier = 6}));
  record(2);  // what comes after is unread, whenever it says that it ended
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

// --- through a server that forgets ------------------------------------------------------------------

/// A server that reads the segments of runs of process p0, and a consumer's scope over it. Runs are those of
/// killed processes.
class ServedScopeTest : public testing::Test {
 protected:
  ServedScopeTest() {
    serve();
    scope = open([](ScopeTree&) {});
  }
  /// A scope whose tree the test may change: the server's node reads two trace elements, one each.
  template <class Change>
  std::unique_ptr<EventScope> open(Change change) {
    ScopeTree tree{"events", 0xfeed, true, 1000, 0, {}, {}};
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = {node({read({{3, 0}, {5, 0}})})};
    change(tree);
    return std::make_unique<EventScope>(
        tree, ScopeSurroundings{&links, nullptr, &names, 0xfeed, {test::local_endpoint(port)}});
  }
  static ScopeNode read(std::vector<SourceRef> sources) {
    ScopeNode read;
    read.name = "process p0";
    read.wrapper = "read";
    read.sources = std::move(sources);
    return read;
  }
  [[nodiscard]] ScopeNode node(std::vector<ScopeNode> children) const {
    ScopeNode node;
    node.name = "node n1";
    node.wrapper = "gather";
    node.node = "n1";
    node.endpoint = test::local_endpoint(port);
    node.children = std::move(children);
    return node;
  }
  void serve() { server = std::make_unique<test::ReadingServer>(port, directory.path(), names); }
  void serve_anew() {
    server.reset();
    serve();
  }
  /// Pulls until the server answers.
  std::vector<std::uint64_t> pull() {
    const Deadline patience = Deadline::after(std::chrono::seconds(20));
    do {
      view = scope->pull({Deadline::after(std::chrono::seconds(2)), false});
    } while (view.processes.empty() && !patience.passed());
    return sequences(view);
  }

  test::TemporaryDirectory directory;
  test::KilledProcesses runs{directory.path()};
  test::PlainNames names;
  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ReadingServer> server;
  Network network;
  LinkPool links{network};
  std::unique_ptr<EventScope> scope;
  View view;
};

TEST_F(ServedScopeTest, AProcessThatStartsAnewIsFollowed) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, HoweverTheServersNodeAsksEachEventComesOnce) {
  for (const Asking asking : {Asking::overlapped, Asking::in_turn, Asking::threads}) {
    runs.leave(3);
    scope = open([&](ScopeTree& tree) {
      tree.root.children = {node({read({{3, 0}}), read({{5, 0}})})};
      tree.root.children[0].asking = asking;
      tree.root.children[0].threads = 2;
    });
    EXPECT_THAT(pull(), ElementsAre(1, 2, 3)) << static_cast<int>(asking);
    EXPECT_EQ(view.sources_read, 2u);
    EXPECT_THAT(pull(), IsEmpty());
    runs.leave(2);
    EXPECT_THAT(pull(), ElementsAre(1, 2));
    EXPECT_THAT(view.missing, IsEmpty());
  }
}

TEST_F(ServedScopeTest, AnOutermostNodeThatIsOnAServerIsAskedThere) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) {
    ScopeNode outermost = std::move(tree.root.children[0]);
    tree.root = std::move(outermost);
  });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), IsEmpty());
}

// A tree that says where its pulls are to be recorded, to one who does not record any.
TEST_F(ServedScopeTest, WhereNothingIsRecordedNumbersOfPathsMeanNothing) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) {
    tree.root.children[0].ask_path = 1;
    tree.root.children[0].answer_path = 2;
  });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, TheServersPartOfABoundedPullIsByItsSources) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) { tree.most = 1; });  // at least one comes
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(pull(), ElementsAre(2));
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

// The events of a killed process ended long before: their ticks are those of a clock that had just begun.
TEST_F(ServedScopeTest, HowFarToGoBackReachesTheServer) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) { tree.since = std::chrono::nanoseconds(0); });
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss.filtered, 3u);
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, AServerThatStartsAnewGoesOnWhereTheScopeHadCome) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, WhatWasOverwrittenBeforeAServerStartsAnewIsCountedOnce) {
  runs.leave(10);  // four are kept
  EXPECT_THAT(pull(), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(view.loss, (Loss{.earlier = 6}));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, AViewThatDidNotArriveIsReadByTheServerThatStartsAnew) {
  runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.batch = 2; });
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  server.reset();
  view = scope->pull({Deadline::after(std::chrono::milliseconds(50)), false});
  EXPECT_EQ(view.missing.size(), 1u);
  serve();
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, NoEventIsInTwoNumbersThoughTheServerStartsAnew) {
  scope = open([](ScopeTree& tree) {
    tree.root.wrapper = tree.root.children[0].wrapper = "aggregate";
    tree.root.parameters =
        tree.root.children[0].parameters = {{"of", std::string("1")}, {"as", std::string("count")}};
  });
  runs.leave(3);
  (void)pull();
  ASSERT_EQ(view.aggregates.size(), 1u);
  EXPECT_EQ(view.aggregates[0].count, 3u);
  serve_anew();
  (void)pull();
  EXPECT_THAT(view.aggregates, IsEmpty());
}

TEST_F(ServedScopeTest, WhenServerAndProcessStartAnewWhatTheRunsBeforeLeftComesFirst) {
  runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.batch = 2; });
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  runs.leave(1);
  runs.leave(2);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

TEST_F(ServedScopeTest, WhenTheOldRunHasLeftNothingItIsNamedOnceAndTheNextIsUnreadFromItsBeginning) {
  const auto old_file = runs.leave(3);
  scope = open([](ScopeTree& tree) { tree.since = std::chrono::hours(24 * 365 * 100); });
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  const std::int32_t old = view.processes.at(0).pid;
  std::filesystem::remove(old_file);
  runs.leave(6);
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(view.loss, (Loss{.discarded = 2}));
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].what, "process p0");
  EXPECT_EQ(view.missing[0].node, "n1");
  EXPECT_EQ(view.missing[0].cause, MissingCause::restarted);
  EXPECT_EQ(view.missing[0].sources, 2u);
  EXPECT_THAT(view.missing[0].detail, HasSubstr("pid " + std::to_string(old)));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_THAT(view.missing, IsEmpty());
  runs.leave(1);
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, ThoughTheNextRunComesOnlyAfterTheServer) {
  const auto old_file = runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  std::filesystem::remove(old_file);
  serve_anew();
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  do {
    view = scope->pull({Deadline::after(std::chrono::seconds(2)), false});
    ASSERT_EQ(view.missing.size(), 1u);
  } while (view.missing[0].cause != MissingCause::no_segment && !patience.passed());
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::restarted);
}

TEST_F(ServedScopeTest, AnEarlierRunIsNotReadAgainWhenALaterOneHasLeftNothing) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  const auto later = runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), IsEmpty());  // now it is known here that this arrived
  std::filesystem::remove(later);
  serve_anew();
  const auto finds_no_run = [this] {
    return view.missing.size() == 1 && view.missing[0].cause == MissingCause::no_segment;
  };
  const Deadline patience = Deadline::after(std::chrono::seconds(20));
  do {
    view = scope->pull({Deadline::after(std::chrono::seconds(2)), false});
    EXPECT_THAT(sequences(view), IsEmpty());
  } while (!finds_no_run() && !patience.passed());
  EXPECT_TRUE(finds_no_run());
  runs.leave(1);
  EXPECT_THAT(pull(), ElementsAre(1));
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::restarted);
}

TEST_F(ServedScopeTest, ARunThatBeganAfterTheFirstPullIsReadByTheServerThatStartsAnew) {
  view = scope->pull({Deadline::after(std::chrono::seconds(20)), false});
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::no_segment);
  server.reset();
  runs.leave(1);
  runs.leave(2);
  serve();
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedScopeTest, OfMoreRunsThanAreKeptTheOldestAreNamed) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  server.reset();
  for (int run = 0; run < 20; ++run) runs.leave(2);
  serve();
  std::size_t got = 0;
  std::string named;
  for (int pulls = 0; pulls < 20; ++pulls) {
    got += pull().size();
    for (const Missing& missing : view.missing) named += missing.detail + "\n";
  }
  EXPECT_EQ(got, 2u * 17);  // the newest and sixteen before it
  EXPECT_THAT(named, HasSubstr("of 4 earlier runs is given up"));
  EXPECT_THAT(named, HasSubstr("is lost: what was read of it was forgotten"));
  EXPECT_EQ(std::count(named.begin(), named.end(), '\n'), 2);
}

TEST_F(ServedScopeTest, AServerThatStartsAnewBeforeTheProcessLosesNothing) {
  runs.leave(3);
  EXPECT_THAT(pull(), ElementsAre(1, 2, 3));
  serve_anew();
  EXPECT_THAT(pull(), IsEmpty());
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

// --- through a gateway that forwards to it ----------------------------------------------------------

class ForwardedScopeTest : public ServedScopeTest {
 protected:
  ForwardedScopeTest() {
    forward();
    scope = std::make_unique<EventScope>(
        [this] {
          ScopeTree tree{"events", 0xfeed, true, 2, 0, {}, {}};
          tree.root.name = "all";
          tree.root.wrapper = "gather";
          tree.root.children = {node({read({{3, 0}, {5, 0}})})};
          tree.root.children[0].route = {test::local_endpoint(gateway_port)};
          return tree;
        }(),
        ScopeSurroundings{&links,
                          nullptr,
                          &names,
                          0xfeed,
                          {test::local_endpoint(port), test::local_endpoint(gateway_port)}});
  }
  void forward() {
    gateway.reset();
    gateway = std::make_unique<Gateway>(gateway_port, test::local_endpoint(port));
  }

  struct Gateway {
    Gateway(std::uint16_t at, const std::string& next)
        : server(network, {test::local_endpoint(at), "node g1", "wind", 0xfeed, {}, {next}}) {
      server.start();
    }
    Network network;
    Server server;
  };
  std::uint16_t gateway_port{test::free_port()};
  std::unique_ptr<Gateway> gateway;
};

TEST_F(ForwardedScopeTest, WhicheverOfTheTwoStartsAnewItGoesOnWhereTheScopeHadCome) {
  runs.leave(4);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  serve_anew();
  EXPECT_THAT(pull(), ElementsAre(3, 4));
  EXPECT_EQ(view.loss, Loss{});
  forward();
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
  runs.leave(3);
  serve_anew();
  forward();
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_EQ(view.loss, Loss{});
  EXPECT_THAT(view.missing, IsEmpty());
}

}  // namespace
}  // namespace eventspace
