#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "paths/links/link_pool.h"
#include "paths/server/server.h"
#include "scopes/scope.h"
#include "tests/paths/remote/raw_server.h"
#include "tests/scopes/pulls/view_talk.h"
#include "tests/scopes/scope_talk.h"
#include "tests/tuplespace/temporary_directory.h"

// A scope over two servers: one answers correctly, the other late, twice, never or with garbage. All in one
// thread: pulls wait only as long as sending takes, and the test sends the servers' replies between them.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

class LateServerTest : public testing::Test {
 protected:
  explicit LateServerTest(WhenLate when_late = WhenLate::skip, std::chrono::nanoseconds longest_skip = 1h) {
    ScopeTree tree = gathering({node("n1", good_port), node("n2", odd_port)});
    tree.root.when_late = when_late;
    tree.root.first_skip = tree.root.longest_skip = longest_skip;
    scope = open(std::move(tree));
    std::jthread servers([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        test::RawServer::wait_for_any({&good, &odd});
        answer_first(good, 1);
        answer_first(odd, 6);
      }
    });
    EXPECT_EQ(pull(Deadline::after(10s)), "1 6");
  }
  // Both targets are open, and their first replies have arrived. From now on the test sends all replies.
  void answer_first(test::RawServer& server, std::uint64_t sequence) {
    const auto kind = server.hear();
    if (kind == wire::Kind::open) server.answer(wire::Opened{1});
    if (kind == wire::Kind::operate) answer(server, done(sequence, sequence));
  }

  static ScopeTree gathering(std::vector<ScopeNode> children) {
    ScopeTree tree{"events", 0xfeed, true, 1000, 0, {}, {}};
    tree.root.name = "all";
    tree.root.wrapper = "gather";
    tree.root.children = std::move(children);
    return tree;
  }
  std::unique_ptr<EventScope> open(ScopeTree tree) {
    const std::set<std::string> endpoints{test::local_endpoint(good_port), test::local_endpoint(odd_port),
                                          test::local_endpoint(middle_port)};
    return std::make_unique<EventScope>(std::move(tree),
                                        ScopeSurroundings{&links, nullptr, &names, 0xfeed, endpoints});
  }
  static ScopeNode node(const std::string& name, std::uint16_t port) {
    ScopeNode read;
    read.name = "process of " + name;
    read.wrapper = "read";
    read.sources = {{3, 0}};
    ScopeNode node;
    node.name = "node " + name;
    node.wrapper = "gather";
    node.node = name;
    node.endpoint = test::local_endpoint(port);
    node.children = {read};
    return node;
  }

  /// The sequence numbers, then the missing servers: "5 n2 skipped".
  std::string pull(Deadline deadline = Deadline::after(1ms)) {
    view = scope->pull({deadline, false});
    std::string text = test::told(view);
    for (const Missing& missing : view.missing)
      text += (text.empty() ? "" : " ") + missing.node + " " + std::string(to_string(missing.cause));
    return text;
  }
  /// Pulls, and drops the views, until the server has received a request of this kind.
  bool hears(test::RawServer& server, wire::Kind kind) {
    return within_ten_seconds([&] {
      pull();
      return server.hear() == kind;
    });
  }
  /// Pulls until the records are these, regardless of missing parts.
  bool pulls_until(const std::string& records) {
    return within_ten_seconds([&] {
      pull();
      return test::told(view) == records;
    });
  }
  /// Pulls until replies that do not change a view have been received.
  template <class Holds>
  bool within_ten_seconds(Holds holds) {
    for (const Deadline end = Deadline::after(10s); !end.passed();) {
      if (holds()) return true;
    }
    return holds();
  }

  /// Answers the last request that the server received with the next event of its thread.
  static View done(std::uint64_t sequence, std::uint64_t thread) {
    View view;
    view.records.push_back(
        test::event(sequence, sequence * 10, sequence * 10 + 5, static_cast<std::uint32_t>(thread)));
    return view;
  }
  void answer(test::RawServer& server, const View& view) {
    wire::Done done;
    if (&server == &odd) done.parts = std::exchange(parts_said, 0);
    server.say(test::reply_of(server.id(), view, done));
  }
  static std::vector<TraceTuple> records(const std::vector<std::uint64_t>& sequences) {
    std::vector<TraceTuple> records;
    for (const std::uint64_t sequence : sequences)
      records.push_back(test::event(sequence, sequence * 10, sequence * 10 + 5, 6));
    return records;
  }
  /// Lets the odd server send records ahead of its answer.
  void say_part(const std::vector<std::uint64_t>& sequences) {
    const std::vector<TraceTuple> part = records(sequences);
    const std::vector<Bytes> pieces{std::as_bytes(std::span(part))};
    odd.say(test::part_of(odd.id(), pieces, own_byte_order));
    ++parts_said;
  }
  static View done_behind(std::uint64_t gone_ahead, std::uint64_t sequence) {
    View behind = done(sequence, 6);
    behind.gone_ahead = gone_ahead;
    return behind;
  }
  /// Answers the last request that the odd server received.
  [[nodiscard]] wire::Message unreadable_answer() const {
    wire::Message message = test::reply_of(odd.id(), done(7, 6));
    for (std::size_t i = wire::header_bytes; i < message.size(); ++i) message[i] = std::byte{0xc1};
    return message;
  }
  void say_good() { answer(good, done(++good_said, 1)); }
  [[nodiscard]] std::uint64_t asked_after() const {
    return wire::decode<wire::OperateRequest>(odd.heard())->after;
  }
  [[nodiscard]] Link& odd_link() { return links.to(test::local_endpoint(odd_port)); }

  std::uint16_t good_port{test::free_port()}, odd_port{test::free_port()}, middle_port{test::free_port()};
  std::uint64_t parts_said{0};  // in answer to the last request of the odd server
  test::RawServer good{good_port}, odd{odd_port};
  test::PlainNames names;
  Network network;
  LinkPool links{network};
  std::unique_ptr<EventScope> scope;
  std::uint64_t good_said{1};
  View view;
};

TEST_F(LateServerTest, Late_ItIsSkippedAndItsAnswerIsPartOfALaterPull) {
  EXPECT_EQ(pull(), "n1 no answer n2 no answer");
  EXPECT_EQ(pull(), "n1 skipped n2 skipped");
  EXPECT_EQ(view.missing[1].what, "server of node n2");
  EXPECT_EQ(view.missing[1].sources, 1u);
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 1u);
  answer(odd, done(7, 6));
  EXPECT_TRUE(pulls_until("7"));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 2u);  // the server need not send that again
}

TEST_F(LateServerTest, Twice_TheFirstAnswerCountsAndTheSecondIsDroppedAndCounted) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  answer(odd, done(7, 6));
  answer(odd, done(8, 6));
  EXPECT_TRUE(pulls_until("7"));
  EXPECT_TRUE(within_ten_seconds([&] {
    pull();
    EXPECT_EQ(test::told(view), "");
    return odd_link().counts().late_replies == 1;
  }));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  answer(odd, done(8, 6));
  EXPECT_TRUE(pulls_until("8"));
}

TEST_F(LateServerTest, Never_TheOtherIsReadAllTheSame) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  for (int times = 0; times < 5; ++times) {
    ASSERT_TRUE(hears(good, wire::Kind::operate));
    say_good();
    EXPECT_TRUE(pulls_until(std::to_string(good_said)));
    EXPECT_EQ(odd.hear(), std::nullopt);  // it does not get another request in the meantime
  }
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::skipped);
}

TEST_F(LateServerTest, Garbage_AnAnswerThatCannotBeReadIsNamedAndItIsAskedAgain) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  odd.say(unreadable_answer());
  EXPECT_TRUE(within_ten_seconds([&] { return pull().find("n2 refused") != std::string::npos; }));
  EXPECT_NE(view.missing.back().detail.find("cannot be read"), std::string::npos)
      << view.missing.back().detail;
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 1u);
  answer(odd, done(7, 6));
  EXPECT_TRUE(pulls_until("7"));
}

// --- parts of a view, ahead of the rest of it ------------------------------------------------------

TEST_F(LateServerTest, Parts_TheyStandBeforeTheRestOfTheView) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  say_part({7, 8});
  say_part({9});
  answer(odd, done_behind(3, 10));
  EXPECT_TRUE(pulls_until("7 8 9 10"));
}

TEST_F(LateServerTest, Parts_AViewThatComesWithoutAllOfThemIsNamedAndAskedForAgain) {
  for (const std::uint64_t sent : {1u, 3u}) {
    ASSERT_TRUE(hears(odd, wire::Kind::operate));
    EXPECT_EQ(asked_after(), 1u);
    say_part({7, 8});
    answer(odd, done_behind(sent, 10));
    EXPECT_TRUE(within_ten_seconds([&] { return pull().find("n2 refused") != std::string::npos; }));
    EXPECT_EQ(view.missing.back().detail,
              "the server sent " + std::to_string(sent) + " records ahead of the view; 2 arrived");
  }
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  say_part({7, 8});
  answer(odd, done_behind(2, 9));
  EXPECT_TRUE(pulls_until("7 8 9"));
}

TEST_F(LateServerTest, Parts_AReplyThatComesWithoutAllMessagesAheadOfItIsNamedWithTheLimit) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  say_part({7, 8});
  parts_said = 2;
  answer(odd, done_behind(2, 10));
  EXPECT_TRUE(within_ten_seconds([&] { return pull().find("n2 refused") != std::string::npos; }));
  EXPECT_EQ(
      view.missing.back().detail,
      "the server sent 2 messages ahead of its reply, but 1 arrived; `limits: message` is 67108864 bytes "
      "here and should be the same in all processes");
}

TEST_F(LateServerTest, Parts_OneThatCannotBeReadIsMissed) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  say_part({});  // without a record
  answer(odd, done_behind(1, 10));
  EXPECT_TRUE(within_ten_seconds([&] { return pull().find("n2 refused") != std::string::npos; }));
  EXPECT_NE(view.missing.back().detail.find("cannot be read"), std::string::npos);
}

TEST_F(LateServerTest, Parts_AnIncompleteViewYieldsNoRecords) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  say_part({7, 8});
  odd.answer(wire::Failure{wire::Fault::busy, "too many messages wait"});
  parts_said = 0;
  EXPECT_TRUE(within_ten_seconds([&] { return pull() == "n1 skipped n2 refused"; }));
  EXPECT_EQ(view.missing.back().detail, "too many messages wait");
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 1u);
  answer(odd, done(7, 6));
  EXPECT_TRUE(pulls_until("7"));
}

TEST_F(LateServerTest, Garbage_BytesThatAreNoMessageAreCountedAndTheAnswerIsAwaited) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  std::mt19937 random(4711);
  for (std::size_t size = 1; size <= 40; ++size) {
    wire::Message noise(size);
    for (auto& byte : noise) byte = static_cast<std::byte>(random());
    odd.say(noise);
  }
  EXPECT_TRUE(within_ten_seconds([&] {
    pull();
    return odd_link().counts().malformed_replies == 40;
  }));
  answer(odd, done(7, 6));
  EXPECT_TRUE(pulls_until("7"));
}

TEST_F(LateServerTest, Garbage_AnAnswerOfAnotherKindIsRefused) {
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  odd.answer(wire::Opened{3});
  EXPECT_TRUE(within_ten_seconds([&] { return pull().find("n2 refused") != std::string::npos; }));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 1u);
}

TEST_F(LateServerTest, Repeated_RecordsSentAgainAreDroppedAndCountedUnlessOfALaterRun) {
  const auto done_in_run = [](std::int64_t created_ns) {
    View done = LateServerTest::done(7, 6);
    done.positions = {{3, 0, 4711, created_ns, 7}};
    return done;
  };
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  answer(odd, done_in_run(1));
  EXPECT_TRUE(pulls_until("7"));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  answer(odd, done_in_run(1));
  EXPECT_TRUE(within_ten_seconds([&] {
    EXPECT_EQ((pull(), test::told(view)), "");
    return view.loss.repeated == 1;
  }));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  answer(odd, done_in_run(2));
  EXPECT_TRUE(pulls_until("7"));
}

struct ImpatientLateServerTest : LateServerTest {
  ImpatientLateServerTest() : LateServerTest(WhenLate::skip, 1ms) {}
};

TEST_F(ImpatientLateServerTest, Never_AfterItsRestItIsAskedAgainForRecordsThatDidNotArrive) {
  for (int times = 0; times < 3; ++times) {
    ASSERT_TRUE(hears(odd, wire::Kind::operate));
    EXPECT_EQ(asked_after(), 1u);
  }
}

struct PartialLateServerTest : LateServerTest {
  PartialLateServerTest() : LateServerTest(WhenLate::partial) {}
};

TEST_F(PartialLateServerTest, Late_EachPullAsksAgainAndTheLateAnswerIsDropped) {
  EXPECT_EQ(pull(), "n1 no answer n2 no answer");
  ASSERT_TRUE(within_ten_seconds([&] { return odd.hear() == wire::Kind::operate; }));
  answer(odd, done(7, 6));
  EXPECT_TRUE(within_ten_seconds([&] {
    EXPECT_EQ(pull(), "n1 no answer n2 no answer");
    return odd_link().counts().late_replies > 0;
  }));
  ASSERT_TRUE(hears(odd, wire::Kind::operate));
  EXPECT_EQ(asked_after(), 1u);
}

// The level's only group runs where the level above does, so both could become one stage.
TEST_F(PartialLateServerTest, Late_AGroupOnItsOwnKeepsItsTimeOut) {
  ScopeNode cluster = gathering({node("n2", odd_port)}).root;
  cluster.timeout = 5ms;
  scope = open(gathering({cluster}));
  EXPECT_EQ(pull(Deadline::never()), "n2 no answer");
}

// --- below a server's loop -------------------------------------------------------------------------

/// A server between the consumer and the odd one; it waits for the odd one only a moment.
class BehindAServerTest : public LateServerTest {
 protected:
  BehindAServerTest() {
    server.start();
    ScopeNode middle = node("n3", middle_port);
    middle.children = {node("n2", odd_port)};
    middle.children[0].timeout = 5ms;
    middle.when_late = WhenLate::skip;
    middle.first_skip = middle.longest_skip = 1h;
    scope = open(gathering({middle}));
    std::jthread answering([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        test::RawServer::wait_for_any({&odd});
        answer_first(odd, 6);
      }
    });
    EXPECT_TRUE(patient_pull("6"));
  }
  /// Pulls until the server between, which always answers, replies with this.
  bool patient_pull(const std::string& what) {
    return within_ten_seconds([&] { return pull(Deadline::after(10s)) == what; });
  }

  test::TemporaryDirectory directory;
  LocalSegments segments{{"wind", "n3", 0xfeed, directory.path()}};
  Network network_of_server;
  Server server{
      network_of_server,
      {test::local_endpoint(middle_port),
       "node n3",
       "wind",
       0xfeed,
       {{scope_target, scope_target_kind("", names, segments, 0xfeed, {test::local_endpoint(odd_port)})}},
       {}}};
};

TEST_F(BehindAServerTest, Late_TheServerSkipsItAndYieldsItsAnswerLater) {
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 no answer");
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 skipped");
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 skipped");
  ASSERT_TRUE(within_ten_seconds([&] { return odd.hear() == wire::Kind::operate; }));
  EXPECT_EQ(asked_after(), 1u);
  answer(odd, done(7, 6));
  EXPECT_TRUE(patient_pull("7"));
  ASSERT_TRUE(within_ten_seconds([&] {
    pull(Deadline::after(10s));
    return odd.hear() == wire::Kind::operate;
  }));
  EXPECT_EQ(asked_after(), 2u);
}

TEST_F(BehindAServerTest, Twice_TheServerTakesTheFirstAnswerAndDropsTheSecond) {
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 no answer");
  ASSERT_TRUE(within_ten_seconds([&] { return odd.hear() == wire::Kind::operate; }));
  answer(odd, done(7, 6));
  answer(odd, done(8, 6));
  EXPECT_TRUE(patient_pull("7"));
  ASSERT_TRUE(within_ten_seconds([&] {
    EXPECT_EQ(test::told((pull(Deadline::after(10s)), view)), "");
    return odd.hear() == wire::Kind::operate;
  }));
  EXPECT_EQ(asked_after(), 2u);
  answer(odd, done(8, 6));
  EXPECT_TRUE(patient_pull("8"));
}

TEST_F(BehindAServerTest, Garbage_TheServerNamesItAndAsksAgain) {
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 no answer");
  ASSERT_TRUE(within_ten_seconds([&] { return odd.hear() == wire::Kind::operate; }));
  odd.say(wire::Message(30, std::byte{0x2a}));
  odd.say(unreadable_answer());
  EXPECT_TRUE(patient_pull("n2 refused"));
  EXPECT_NE(view.missing[0].detail.find("cannot be read"), std::string::npos) << view.missing[0].detail;
  EXPECT_EQ(view.missing[0].sources, 1u);
  ASSERT_TRUE(within_ten_seconds([&] {
    pull(Deadline::after(10s));
    return odd.hear() == wire::Kind::operate;
  }));
  EXPECT_EQ(asked_after(), 1u);
  answer(odd, done(7, 6));
  EXPECT_TRUE(patient_pull("7"));
}

TEST_F(BehindAServerTest, Never_TheServerEndsWithTheChildUnderWay) {
  EXPECT_EQ(pull(Deadline::after(10s)), "n2 no answer");
  scope.reset();
  server.stop();
}

/// The first server is silent, and the target on the second one is not open yet. Another thread sends the
/// servers' replies.
class SilentServerTest : public LateServerTest {
 protected:
  SilentServerTest() : LateServerTest(WhenLate::partial) {
    tree_ = gathering({node("n2", odd_port), node("n1", good_port)});
  }
  /// Lets the good server answer each request after this time.
  std::jthread good_answers(std::chrono::milliseconds slowness = {}) {
    return std::jthread([this, slowness](const std::stop_token& stop) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      while (!stop.stop_requested()) {
        test::RawServer::wait_for_any({&good});
        const auto kind = good.hear();
        if (!kind) continue;
        (void)never.wait_for(lock, stop, slowness, [] { return false; });
        if (kind == wire::Kind::open) good.answer(wire::Opened{1});
        if (kind == wire::Kind::operate) answer(good, done(9, 1));
      }
    });
  }

  ScopeTree tree_;
};

TEST_F(SilentServerTest, TheOthersAreOpenedAndPulledAllTheSame) {
  const std::jthread answers = good_answers();
  scope = open(tree_);
  EXPECT_EQ(pull(Deadline::after(1s)), "9 n2 no answer");
}

TEST_F(SilentServerTest, ItIsWaitedForAsLongAsTheScopeSays) {
  tree_.root.timeout = 1h;
  tree_.root.children.erase(tree_.root.children.begin());
  const std::jthread answers =
      good_answers(700ms);  // twice, which is longer than the default time-out of a scope
  scope = open(tree_);
  view = scope->pull({});
  EXPECT_EQ(test::told(view), "9");
  EXPECT_TRUE(view.missing.empty());
}

}  // namespace
}  // namespace eventspace
