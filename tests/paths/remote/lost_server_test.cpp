#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "paths/views/view.h"
#include "tests/paths/remote/raw_server.h"
#include "tests/paths/remote/server_process.h"
#include "tests/paths/server_talk.h"

// Operations whose server is killed, stopped or has not started.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using test::operation_of;
using test::told;
using testing::HasSubstr;
using wire::Kind;

class LostServerTest : public testing::Test {
 protected:
  Path path() { return client.path("channel", port); }

  /// Whether `operation`, begun on `path`, ends by itself; if not, the test ends it.
  bool ends(Path& path, Operation& operation) {
    auto done = std::async(std::launch::async, [&] { path.stage().finish(operation); });
    const bool in_time = done.wait_for(60s) == std::future_status::ready;
    if (!in_time) client.close();
    return in_time;
  }
  /// Begins `operation`, the first of its path, and waits until the server has received it.
  void park(Path& path, Operation& operation) {
    path.stage().begin(operation);
    requests += 2;  // to open, and to operate
    ASSERT_TRUE(eventually([&] {
      EXPECT_FALSE(path.stage().ready(operation));
      return requests_heard() >= ++requests;
    }));
  }
  /// The number of requests that the server has counted, including this one.
  std::uint64_t requests_heard() {
    Link& link = client.link(port);
    const std::uint64_t id = link.next_id();
    EXPECT_TRUE(link.send(id, wire::encode(Kind::ping, id), nullptr));
    const auto reply = link.wait(id, Deadline::after(60s));
    return reply && !reply->is_lost() ? wire::decode<wire::ServerReport>(reply->envelope())->requests : 0;
  }
  std::string lost() const {
    return "the connection to " + test::local_endpoint(port) + " (node n1) was lost";
  }

  std::uint16_t port{test::free_port()};
  test::Client client;
  std::uint64_t requests{0};
};

// --- killed -----------------------------------------------------------------------------------------

TEST_F(LostServerTest, ATakeThatWaitsEndsWhenItsServerIsKilled) {
  test::ServerProcess server(port);
  Path remote = path();
  Operation take = operation_of(Verb::take);
  park(remote, take);
  server.kill();
  EXPECT_TRUE(ends(remote, take));
  EXPECT_EQ(take.status, Status::closed);
  EXPECT_EQ(take.reason, lost() + "; it is unknown whether the operation happened");
}

TEST_F(LostServerTest, AWriteThatWaitsForRoomEndsWhenItsServerIsKilled) {
  test::ServerProcess server(port, 2);
  Path remote = path();
  Operation write = operation_of(Verb::write);
  park(remote, write);
  server.kill();
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::closed);
  EXPECT_EQ(write.reason, lost() + "; it is unknown whether the operation happened");
}

TEST_F(LostServerTest, ALostReadCertainlyDidNotHappen) {
  test::ServerProcess server(port);
  Path remote = path();
  Operation read = operation_of(Verb::read);
  park(remote, read);
  server.kill();
  EXPECT_TRUE(ends(remote, read));
  EXPECT_EQ(read.status, Status::closed);
  EXPECT_EQ(read.reason, lost());
}

TEST_F(LostServerTest, AnOperationUnderWayCallsItsWaker) {
  test::ServerProcess server(port);
  Path remote = path();
  Operation take = operation_of(Verb::take);
  park(remote, take);
  auto done = std::async(std::launch::async, [&] { return ends(remote, take); });
  server.kill();
  EXPECT_TRUE(done.get());
  EXPECT_EQ(take.status, Status::closed);
}

TEST_F(LostServerTest, AllOperationsEndAndTheNextOnesUseTheRestartedServer) {
  std::optional<test::ServerProcess> server(std::in_place, port);
  Path one = path();
  Path two = path();
  Operation first = operation_of(Verb::take);
  Operation second = operation_of(Verb::take);
  park(one, first);
  park(two, second);
  server.reset();
  EXPECT_TRUE(ends(one, first));
  EXPECT_TRUE(ends(two, second));
  EXPECT_EQ(first.status, Status::closed);
  server.emplace(port);
  EXPECT_EQ(one.write(number(1), Deadline::after(60s)), Status::ok);
  EXPECT_EQ(told(two.take(From::oldest, Deadline::after(60s))), "1");
}

// --- of low priority --------------------------------------------------------------------------------

TEST_F(LostServerTest, AServerThatIsGoneIsNotGivenTheAllowanceOfOneThatYields) {
  Path remote = client.patient_path("channel", port, 3600s - 10ms);
  Operation read = operation_of(Verb::read, Deadline::after(3600s));
  remote.stage().begin(read);
  EXPECT_TRUE(ends(remote, read));
  EXPECT_EQ(read.status, Status::timed_out);
}

TEST_F(LostServerTest, AnOperationThatIsTestedEndsThenToo) {
  Path remote = client.patient_path("channel", port, 3600s - 10ms);
  Operation read = operation_of(Verb::read, Deadline::after(3600s));
  remote.stage().begin(read);
  EXPECT_TRUE(eventually([&] { return remote.stage().ready(read); }));
  EXPECT_EQ(read.status, Status::timed_out);
}

TEST_F(LostServerTest, AServerThatAnswersLateIsGivenItsAllowance) {
  test::ServerProcess server(port);
  Path remote = client.patient_path("channel", port, 3600s - 10ms);
  Operation read = operation_of(Verb::read, Deadline::after(3600s));
  park(remote, read);
  const Deadline without = Deadline::after(50ms);  // more than it has without the allowance
  while (!without.passed()) EXPECT_FALSE(remote.stage().ready(read));
  Path writer = path();
  EXPECT_EQ(writer.write(number(7), Deadline::after(60s)), Status::ok);
  EXPECT_TRUE(ends(remote, read));
  EXPECT_EQ(read.status, Status::ok);
}

// --- of another version -----------------------------------------------------------------------------

TEST_F(LostServerTest, AServerOfAnotherVersionRefusesAlsoOperationsWithoutADeadline) {
  test::RawServer server(port);
  const std::jthread answering([&server](const std::stop_token& over) {
    while (!over.stop_requested()) {
      test::RawServer::wait_for_any({&server});
      if (server.hear()) server.answer_in_version(7);
    }
  });
  Path remote = path();
  Operation take = operation_of(Verb::take);
  remote.stage().begin(take);
  EXPECT_TRUE(ends(remote, take));
  EXPECT_EQ(take.status, Status::refused);
  EXPECT_THAT(take.reason,
              HasSubstr("speaks version 7 of the protocol, this program version 16; use the same"));
}

// --- not there --------------------------------------------------------------------------------------

TEST_F(LostServerTest, AnOperationBegunBeforeTheServerStartsWaitsForIt) {
  Path remote = path();
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  EXPECT_FALSE(remote.stage().ready(write));
  const test::ServerProcess server(port);
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::ok);
}

TEST_F(LostServerTest, AnOperationBegunAfterTheLossWaitsForTheRestartedServer) {
  std::optional<test::ServerProcess> server(std::in_place, port);
  Path remote = path();
  ASSERT_EQ(remote.write(number(1), Deadline::after(60s)), Status::ok);
  server.reset();
  ASSERT_TRUE(eventually([this] {
    client.link(port).progress();
    return client.link(port).counts().lost_connections == 1;
  }));
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  EXPECT_FALSE(remote.stage().ready(write));
  server.emplace(port);
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::ok);
}

TEST_F(LostServerTest, AnotherProgramOnThePortDoesNotKeepTheLinkFromTheServer) {
  std::optional<test::RawServer> foreign(std::in_place, port, zmq::socket_type::pub);
  Path remote = path();
  EXPECT_EQ(remote.write(number(1), Deadline::after(300ms)), Status::timed_out);
  foreign.reset();
  const test::ServerProcess server(port);
  EXPECT_EQ(remote.write(number(1), Deadline::after(60s)), Status::ok);
}

// --- stopped ----------------------------------------------------------------------------------------

TEST_F(LostServerTest, AStoppedServerIsNotLost) {
  const test::ServerProcess server(port);
  Path remote = path();
  Path other = path();
  Operation take = operation_of(Verb::take);
  park(remote, take);
  server.stop();
  EXPECT_NE(told(other.read(From::oldest, Deadline::after(300ms))), "empty");
  EXPECT_FALSE(remote.stage().ready(take));
  server.go_on();
  EXPECT_EQ(other.write(number(7), Deadline::after(60s)), Status::ok);
  EXPECT_TRUE(ends(remote, take));
  EXPECT_EQ(take.tuple, number(7));
  EXPECT_EQ(client.link(port).counts().lost_connections, 0u);
}

// --- lost in the middle of an exchange --------------------------------------------------------------

class RawServerTest : public LostServerTest {
 protected:
  /// Makes progress with `operation` until the raw server has received a request for it.
  void heard(Path& path, Operation& operation, Kind kind) {
    ASSERT_TRUE(eventually([&] {
      (void)path.stage().ready(operation);
      const std::optional<Kind> found = raw->hear();
      EXPECT_EQ(found.value_or(kind), kind);
      return found.has_value();
    }));
  }

  std::optional<test::RawServer> raw{std::in_place, port};
};

TEST_F(RawServerTest, ALostOpenRequestIsSentAgain) {
  Path remote = path();
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  heard(remote, write, Kind::open);
  raw.reset();
  const test::ServerProcess server(port);
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::ok);
}

TEST_F(RawServerTest, ALostOpenRequestEndsAtTheDeadlineOfItsOperation) {
  Path remote = path();
  Operation write = operation_of(Verb::write, Deadline::after(100ms));
  remote.stage().begin(write);
  heard(remote, write, Kind::open);
  raw.reset();
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::timed_out);
}

TEST_F(RawServerTest, AReplyThatArrivedBeforeTheLossCounts) {
  Path remote = path();
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  heard(remote, write, Kind::open);
  raw->answer(wire::Opened{1});
  heard(remote, write, Kind::operate);
  raw->answer_with_tuple(5);
  raw.reset();  // returns when the reply has been sent
  EXPECT_TRUE(ends(remote, write));
  EXPECT_EQ(write.status, Status::ok);
  EXPECT_EQ(write.sequence, 5u);
}

// The next server may have opened another target under the same number.
TEST_F(RawServerTest, ATargetOfALostConnectionIsOpenedAgainBeforeUse) {
  Path remote = path();
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  heard(remote, write, Kind::open);
  raw->answer(wire::Opened{1});
  heard(remote, write, Kind::operate);
  raw->answer_with_tuple(5);
  EXPECT_TRUE(ends(remote, write));
  raw.reset();
  raw.emplace(port);
  ASSERT_TRUE(eventually([&] {
    client.link(port).progress();
    return client.link(port).counts().lost_connections == 1;
  }));
  Operation next = operation_of(Verb::write);
  remote.stage().begin(next);
  heard(remote, next, Kind::open);
  raw->answer(wire::Opened{1});
  heard(remote, next, Kind::operate);
  raw->answer_with_tuple(6);
  EXPECT_TRUE(ends(remote, next));
  EXPECT_EQ(next.sequence, 6u);
}

TEST_F(RawServerTest, ALostPullTimesOut) {
  Path remote = path();
  OperationBody body;
  Operation operation = operation_of(Verb::pull);
  operation.body = &body;
  remote.stage().begin(operation);
  heard(remote, operation, Kind::open);
  raw->answer(wire::Opened{1});
  heard(remote, operation, Kind::operate);
  raw.reset();
  EXPECT_TRUE(ends(remote, operation));
  EXPECT_EQ(operation.status, Status::timed_out);
  EXPECT_EQ(operation.reason, lost());
}

TEST_F(RawServerTest, AReplyAboveTheLimitIsReportedAndTheLinkGoesOn) {
  test::Client small(NetworkLimits{.message_bytes = 1000});
  Path remote = small.path("channel", port);
  Operation take = operation_of(Verb::take);
  remote.stage().begin(take);
  heard(remote, take, Kind::open);
  raw->answer(wire::Opened{1});
  heard(remote, take, Kind::operate);
  raw->answer_with_tuple(1, Tuple::of({std::string_view(std::string(2000, 'x'))}));
  remote.stage().finish(take);
  EXPECT_EQ(take.status, Status::closed);
  raw.reset();
  const test::ServerProcess server(port);
  EXPECT_EQ(remote.write(number(1), Deadline::after(60s)), Status::ok);
}

// --- behind a gateway -------------------------------------------------------------------------------

class LostBehindGatewayTest : public RawServerTest {
 protected:
  Path through_gateway() {
    return client.path("channel", {test::local_endpoint(gate_port), test::local_endpoint(port)});
  }
  void reach_the_target(Path& path, Operation& operation) {
    path.stage().begin(operation);
    heard(path, operation, Kind::open);
    raw->answer(wire::Opened{1});
    heard(path, operation, Kind::operate);
  }

  std::uint16_t gate_port{test::free_port()};
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
};

TEST_F(LostBehindGatewayTest, ATakeEndsWhenTheServerBehindTheGatewayIsLost) {
  Path remote = through_gateway();
  Operation take = operation_of(Verb::take);
  reach_the_target(remote, take);
  raw.reset();
  EXPECT_TRUE(ends(remote, take));
  EXPECT_EQ(take.status, Status::closed);
  EXPECT_EQ(take.reason, "the connection to " + test::local_endpoint(port) +
                             " was lost; it is unknown whether the operation happened");
}

TEST_F(LostBehindGatewayTest, APullEndsWhenTheServerBehindTheGatewayIsLost) {
  Path remote = through_gateway();
  OperationBody body;
  Operation operation = operation_of(Verb::pull);
  operation.body = &body;
  reach_the_target(remote, operation);
  raw.reset();
  EXPECT_TRUE(ends(remote, operation));
  EXPECT_EQ(operation.status, Status::timed_out);
  EXPECT_EQ(operation.reason, "the connection to " + test::local_endpoint(port) + " was lost");
}

// --- a connection that is not made again ------------------------------------------------------------

TEST_F(LostServerTest, WithoutReconnectionOperationsUnderWayAndLaterOnesEnd) {
  test::ServerProcess server(port);
  test::Client final_client({}, WhenLost::end);
  Path remote = final_client.path("channel", port);
  ASSERT_EQ(remote.write(number(1), Deadline::after(60s)), Status::ok);
  server.kill();
  Operation write = operation_of(Verb::write);
  remote.stage().call(write);
  EXPECT_EQ(write.status, Status::closed);
  EXPECT_THAT(write.reason, HasSubstr(lost()));
  Operation later = operation_of(Verb::write);
  remote.stage().call(later);
  EXPECT_EQ(later.status, Status::closed);
  EXPECT_EQ(later.reason, lost());  // it certainly did not happen
  EXPECT_TRUE(final_client.link(port).has_ended());
}

TEST_F(RawServerTest, WithoutReconnectionOpenRequestsAndUnsentOperationsEnd) {
  test::Client final_client({}, WhenLost::end);
  Path remote = final_client.path("channel", port);
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  heard(remote, write, Kind::open);
  raw.reset();
  remote.stage().finish(write);
  EXPECT_EQ(write.status, Status::closed);
  EXPECT_EQ(write.reason, lost());
}

TEST_F(LostServerTest, WithoutReconnectionAServerThatHasNotStartedIsWaitedFor) {
  test::Client final_client({}, WhenLost::end);
  Path remote = final_client.path("channel", port);
  Operation write = operation_of(Verb::write);
  remote.stage().begin(write);
  EXPECT_FALSE(remote.stage().ready(write));
  const test::ServerProcess server(port);
  remote.stage().finish(write);
  EXPECT_EQ(write.status, Status::ok);
}

}  // namespace
}  // namespace eventspace
