#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <eventspace/error.h>
#include "scopes/requests/request_wrapper.h"
#include "scopes/tree/scope_codec.h"
#include "tests/scopes/reading/served_scope.h"

// A consumer's scope over a server: each event is returned once, however the server is pulled.

namespace eventspace {
namespace {

using test::ServedScopeTest;
using testing::ElementsAre;
using testing::IsEmpty;

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

// --- parts that steer processes ------------------------------------------------------------------------

TEST_F(ServedScopeTest, APartThatSteersProcessesIsAskedForUnderTheNameForOwners) {
  scope = open([](ScopeTree& tree) { request_at_servers(tree, {"count", "stop"}, 0); });
  pull_once();
  ASSERT_THAT(view.missing, testing::SizeIs(1));
  EXPECT_THAT(view.missing[0].detail, testing::HasSubstr(steering_scope_target));
}

// A client that uses the other name, which observers may use, gains nothing by that.
TEST_F(ServedScopeTest, UnderTheNameForObserversNoPartThatSteersIsOpened) {
  LocalSegments segments({"wind", "n1", 0xfeed, directory.path(), std::chrono::nanoseconds(0), {}});
  const auto open_as = [&](Steering steering, const char* action, bool is_on_another_server) {
    ScopeTree tree{"events", 0xfeed, true, 1000, 0, {}, node({read({{3, 0}})})};
    if (!is_on_another_server) tree.root.endpoint.clear();
    request_at_servers(tree, {"count", action}, 0);
    if (is_on_another_server) {
      ScopeNode gateway;
      gateway.name = "cluster";
      gateway.wrapper = "gather";
      gateway.children.push_back(std::move(tree.root));
      tree.root = std::move(gateway);
    }
    (void)scope_target_kind("", names, segments, 0xfeed, {test::local_endpoint(port)}, nullptr, nullptr, {},
                            steering)
        ->open(encode(tree), links);
  };
  for (const bool is_on_another_server : {false, true}) {
    for (const char* const action : {"stop", "continue", "collect off"}) {
      EXPECT_THAT([&] { open_as(Steering::refused, action, is_on_another_server); },
                  testing::ThrowsMessage<ConfigurationError>(testing::HasSubstr("only an owner")))
          << action;
      EXPECT_NO_THROW(open_as(Steering::allowed, action, is_on_another_server)) << action;
    }
    EXPECT_NO_THROW(open_as(Steering::refused, "print", is_on_another_server));
  }
}

// --- subscriptions: the server sends news -----------------------------------------------------------

struct ServedSubscriptionTest : ServedScopeTest {
  ServedSubscriptionTest() {
    scope = open([](ScopeTree& tree) { tree.look = std::chrono::milliseconds(5); });
  }
  /// The events of the next view that has any.
  std::vector<std::uint64_t> await() {
    const Deadline patience = Deadline::after(std::chrono::seconds(60));
    do {
      pull_once(std::chrono::milliseconds(50));
    } while (view.record_count() == 0 && !patience.passed());
    return test::sequences(view);
  }
};

TEST_F(ServedSubscriptionTest, EachEventComesOnceAndNothingTravelsWhileThereIsNone) {
  runs.leave(3);
  EXPECT_THAT(await(), ElementsAre(1, 2, 3));
  pull_once(std::chrono::milliseconds(50));
  const std::uint64_t requests = server->server.report().requests;
  for (int i = 0; i < 10; ++i) {
    pull_once(std::chrono::milliseconds(50));
    EXPECT_EQ(view.record_count(), 0U);
    EXPECT_THAT(view.processes, IsEmpty());
  }
  EXPECT_LE(server->server.report().requests - requests, 1U) << "the request stays under way";
  runs.leave(2);
  EXPECT_THAT(await(), ElementsAre(1, 2));
}

TEST_F(ServedSubscriptionTest, AServerThatIsStartedAnewIsNamedAndReadsOn) {
  runs.leave(3);
  EXPECT_THAT(await(), ElementsAre(1, 2, 3));
  server.reset();
  const Deadline patience = Deadline::after(std::chrono::seconds(60));
  do {
    pull_once(std::chrono::milliseconds(50));
  } while (view.missing.empty() && !patience.passed());
  EXPECT_TRUE(misses(MissingCause::no_answer));
  pull_once(std::chrono::milliseconds(20));
  EXPECT_TRUE(misses(MissingCause::no_answer)) << "as long as it is gone";
  runs.leave(2);
  serve();
  EXPECT_THAT(await(), ElementsAre(1, 2));
  EXPECT_THAT(view.missing, IsEmpty());
}

TEST_F(ServedSubscriptionTest, WhenTheReaderIsGoneSoIsItsTarget) {
  runs.leave(3);
  EXPECT_THAT(await(), ElementsAre(1, 2, 3));
  EXPECT_EQ(server->server.report().open_targets, 1U);
  pull_once(std::chrono::milliseconds(20));  // a request is under way
  scope.reset();
  const Deadline patience = Deadline::after(std::chrono::seconds(60));
  while (server->server.report().open_targets > 0 && !patience.passed())
    links.wait(Deadline::after(std::chrono::milliseconds(5)));
  EXPECT_EQ(server->server.report().open_targets, 0U);
}

/// Makes the trace elements of a run large: they keep `first` and `second` events.
auto keeping(std::uint32_t first, std::uint32_t second) {
  return [=](Segment::Config& config) {
    config.traces[0].threshold = first;
    config.traces[1].threshold = second;
  };
}
std::vector<std::uint64_t> from_one_to(std::uint64_t last) {
  std::vector<std::uint64_t> numbers(last);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

// The records are sent ahead of the reply, in parts.
TEST_F(ServedScopeTest, MoreRecordsThanOnePartHasComeInOrderAndOnceHoweverTheServersNodeAsks) {
  constexpr std::uint32_t many = 5 * RecordsAhead::worth_taking + 7;
  for (const Asking asking : {Asking::overlapped, Asking::in_turn, Asking::threads}) {
    runs.leave(many, keeping(many, 2));
    scope = open([asking](ScopeTree& tree) {
      tree.batch = 1'000'000;
      tree.root.children[0].asking = asking;
      tree.root.children[0].threads = 2;
    });
    EXPECT_EQ(pull(), from_one_to(many)) << static_cast<int>(asking);
    EXPECT_EQ(view.sources_read, 2u);
    EXPECT_EQ(view.gone_ahead, 0u);
    EXPECT_EQ(view.loss, Loss{});
    ASSERT_EQ(view.levels.size(), 2u);
    EXPECT_EQ(view.levels[0].name, "node n1");
    EXPECT_EQ(view.levels[0].records, many);
    EXPECT_EQ(view.levels[1].records, many);
    EXPECT_THAT(pull(), IsEmpty());
  }
}

TEST_F(ServedScopeTest, ManyRecordsOfManyChildrenComeInTheirOrder) {
  constexpr std::uint32_t many = 2 * RecordsAhead::worth_taking;
  runs.leave(many, keeping(many, 2));
  scope = open([this](ScopeTree& tree) {
    tree.batch = 1'000'000;
    tree.root.children = {node({read({{3, 0}}), read({{5, 0}})})};
  });
  EXPECT_EQ(pull(), from_one_to(many));
  EXPECT_THAT(pull(), IsEmpty());
}

TEST_F(ServedScopeTest, AFilterAtTheServerSeesTheManyRecordsAllTheSame) {
  constexpr std::uint32_t many = 3 * RecordsAhead::worth_taking;
  runs.leave(many, keeping(many, 2));
  scope = open([](ScopeTree& tree) {
    tree.batch = 1'000'000;
    tree.root.children[0].wrapper = "filter";
    tree.root.children[0].parameters = {{"where", std::string("sequence <= 2 or sequence > 12000")}};
  });
  EXPECT_EQ(pull().size(), many - 12000 + 2);
  EXPECT_EQ(view.loss.filtered, 12000u - 2);
}

// A tree that requests recording of its pulls, sent to a server that does not record.
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
  scope = open([&](ScopeTree& tree) { tree.most = 1; });  // at least one arrives
  EXPECT_THAT(pull(), ElementsAre(1));
  EXPECT_THAT(pull(), ElementsAre(2));
  EXPECT_THAT(pull(), ElementsAre(3));
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss, Loss{});
}

// The events of a killed process ended long ago: their ticks are from a clock that had just begun.
TEST_F(ServedScopeTest, HowFarToGoBackReachesTheServer) {
  runs.leave(3);
  scope = open([&](ScopeTree& tree) { tree.since = std::chrono::nanoseconds(0); });
  EXPECT_THAT(pull(), IsEmpty());
  EXPECT_EQ(view.loss.filtered, 3u);
  runs.leave(2);
  EXPECT_THAT(pull(), ElementsAre(1, 2));
  EXPECT_EQ(view.loss, Loss{});
}

// A stage of a scope takes the pull from an operation's body, which other verbs do not have.
TEST_F(ServedScopeTest, AnyVerbButPullIsRefusedAndTheServerGoesOn) {
  runs.leave(3);
  EXPECT_FALSE(pull().empty());
  ScopeTree part{"events", 0xfeed, true, 1000, 0, {}, read({{3, 0}})};
  Link& link = links.to("tcp://127.0.0.1:" + std::to_string(port));
  const auto ask = [&](auto request) {
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(id, request), nullptr));
    return *link.wait(id, Deadline::after(std::chrono::seconds(10)));
  };
  const Reply opened = ask(wire::OpenRequest{scope_target, encode(part), {}});
  ASSERT_EQ(opened.kind, wire::Kind::opened);
  const std::uint64_t target = wire::decode<wire::Opened>(opened.envelope())->target;
  for (const Verb verb : {Verb::write, Verb::read, Verb::take, Verb::discard, Verb::exchange}) {
    const Reply reply = ask(wire::OperateRequest{target, verb, 1000, 1, 0});
    ASSERT_EQ(reply.kind, wire::Kind::failed) << to_string(verb);
    EXPECT_EQ(wire::decode<wire::Failure>(reply.envelope())->fault, wire::Fault::verb);
  }
  pull_once();
  EXPECT_TRUE(view.missing.empty());
}

}  // namespace
}  // namespace eventspace
