#include <gtest/gtest.h>

#include <future>

#include "tests/paths/remote/raw_server.h"
#include "tests/paths/server_talk.h"

// Operations on an element of a server that their caller ends early.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using test::operation_of;
using test::told;
using wire::Kind;

/// An element "channel" for two tuples, at the end of a way over a number of servers.
class CancelledOperationTest : public testing::TestWithParam<int> {
 protected:
  CancelledOperationTest() {
    last->element("channel");
    hops.push_back(test::local_endpoint(port));
    for (int i = 0; i < GetParam(); ++i) add_gateway();
  }
  void add_gateway() {
    const std::uint16_t gateway = test::free_port();
    gateways.push_back(std::make_unique<test::ElementServer>(gateway, NetworkLimits{}, test::Targets{},
                                                             std::set{hops.front()}));
    hops.insert(hops.begin(), test::local_endpoint(gateway));
  }
  /// Begins `operation`, the first of its path, and waits until the last server waits for a tuple, or for
  /// room.
  void park(Path& path, Operation& operation) {
    const std::uint64_t before = last->report().requests;
    path.stage().begin(operation);
    ASSERT_TRUE(eventually([&] {
      EXPECT_FALSE(path.stage().ready(operation));
      return last->report().requests >= before + 2;  // to open, and to operate
    }));
  }
  static void cancel(Path& path, Operation& operation) {
    operation.deadline = Deadline::now();
    path.stage().finish(operation);
  }
  void perform(Verb verb) {
    Operation operation = operation_of(verb);
    last->element("channel").perform(operation);
    ASSERT_EQ(operation.status, Status::ok);
  }
  [[nodiscard]] std::uint64_t late_replies() { return client.links().to(hops.front()).counts().late_replies; }

  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ElementServer> last{std::make_unique<test::ElementServer>(port)};
  std::vector<std::unique_ptr<test::ElementServer>> gateways;
  std::vector<std::string> hops;
  test::Client client;
};

INSTANTIATE_TEST_SUITE_P(Gateways, CancelledOperationTest, testing::Values(0, 1, 2));

TEST_P(CancelledOperationTest, ATakeLeavesTheNextTupleToOthers) {
  Path remote = client.path("channel", hops);
  Operation take = operation_of(Verb::take);
  park(remote, take);
  cancel(remote, take);
  EXPECT_EQ(take.status, Status::empty) << take.reason;
  perform(Verb::write);
  perform(Verb::take);
  EXPECT_EQ(late_replies(), 0u);
}

TEST_P(CancelledOperationTest, ThePathStaysUsable) {
  Path remote = client.path("channel", hops);
  Operation take = operation_of(Verb::take);
  park(remote, take);
  cancel(remote, take);
  EXPECT_EQ(remote.write(number(1), Deadline::after(60s)), Status::ok);
  EXPECT_EQ(told(remote.take(From::oldest, Deadline::after(60s))), "1");
}

TEST_P(CancelledOperationTest, ATupleThatWasTakenAlreadyIsDelivered) {
  Path remote = client.path("channel", hops);
  Operation take = operation_of(Verb::take);
  park(remote, take);
  perform(Verb::write);  // for the take, which now succeeds
  cancel(remote, take);
  EXPECT_EQ(take.status, Status::ok) << take.reason;
  EXPECT_EQ(take.tuple, number(99));
}

TEST_P(CancelledOperationTest, AWriteThatWaitsForRoomStoresNothing) {
  perform(Verb::write);
  perform(Verb::write);
  Path remote = client.path("channel", hops);
  Operation write = operation_of(Verb::write);
  park(remote, write);
  cancel(remote, write);
  EXPECT_EQ(write.status, Status::full) << write.reason;
  perform(Verb::take);
  perform(Verb::take);
  EXPECT_EQ(told(remote.take(From::oldest, Deadline::now())), "empty");
}

TEST_P(CancelledOperationTest, ACallerThatOnlyTestsGetsTheOutcomeToo) {
  Path remote = client.path("channel", hops);
  Operation read = operation_of(Verb::read);
  park(remote, read);
  read.deadline = Deadline::now();
  EXPECT_TRUE(eventually([&] { return remote.stage().ready(read); }));
  remote.stage().finish(read);
  EXPECT_EQ(read.status, Status::empty);
}

/// A server that answers only what the test says.
class SilentServerTest : public testing::Test {
 protected:
  void heard(Operation& operation, Kind kind) {
    ASSERT_TRUE(eventually([&] {
      (void)remote.stage().ready(operation);
      const std::optional<Kind> found = server.hear();
      EXPECT_EQ(found.value_or(kind), kind);
      return found.has_value();
    }));
  }
  /// Ends `operation` early. A stage that waits for the server would never return.
  void cancel(Operation& operation) {
    operation.deadline = Deadline::now();
    auto done = std::async(std::launch::async, [&] { remote.stage().finish(operation); });
    if (done.wait_for(60s) != std::future_status::ready) client.close();
    done.get();
  }

  std::uint16_t port{test::free_port()};
  test::RawServer server{port};
  test::Client client;
  Path remote{client.path("channel", port)};
};

TEST_F(SilentServerTest, AnOperationThatMayHaveHappenedIsClosed) {
  Operation take = operation_of(Verb::take);
  remote.stage().begin(take);
  heard(take, Kind::open);
  server.answer(wire::Opened{5});
  heard(take, Kind::operate);
  const std::uint64_t asked = server.id();
  cancel(take);
  EXPECT_EQ(take.status, Status::closed);
  EXPECT_EQ(take.reason, "no answer from " + test::local_endpoint(port) + " (node n1) in time");
  ASSERT_EQ(server.hear(), Kind::cancel);
  const auto cancelled = wire::decode<wire::Cancel>(server.heard());
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->target, 5u);
  EXPECT_EQ(cancelled->request, asked);
}

TEST_F(SilentServerTest, AnOperationWhoseTargetIsNotOpenYetHasCertainlyNotHappened) {
  Operation take = operation_of(Verb::take);
  remote.stage().begin(take);
  heard(take, Kind::open);
  cancel(take);
  EXPECT_EQ(take.status, Status::timed_out);
}

TEST_F(SilentServerTest, AnOperationIsCancelledOnce) {
  Operation take = operation_of(Verb::take);
  remote.stage().begin(take);
  heard(take, Kind::open);
  server.answer(wire::Opened{5});
  heard(take, Kind::operate);
  take.deadline = Deadline::now();
  heard(take, Kind::cancel);
  cancel(take);
  EXPECT_EQ(server.hear(), std::nullopt);
}

TEST_F(SilentServerTest, AnOperationWhoseDeadlineTheServerKnowsIsNotCancelled) {
  Operation take = operation_of(Verb::take, Deadline::now());
  remote.stage().begin(take);
  heard(take, Kind::open);
  server.answer(wire::Opened{5});
  heard(take, Kind::operate);
  cancel(take);
  EXPECT_EQ(server.hear(), std::nullopt);
}

}  // namespace
}  // namespace eventspace
