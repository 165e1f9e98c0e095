#include "paths/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <zmq.hpp>

#include <eventspace/error.h>
#include "paths/bodies/element_layouts.h"
#include "tests/error_text.h"
#include "tests/paths/server_talk.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/system/new_threads.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::number;
using test::told;
using testing::HasSubstr;
using wire::Fault;
using wire::Kind;

const Deadline soon = Deadline::now();

/// A server with the element "channel", and a client of it.
class ServerTest : public testing::Test {
 protected:
  ServerTest() { server->element("channel"); }
  void restart(NetworkLimits limits = {}) {
    server.reset();
    server = std::make_unique<test::ElementServer>(port, limits);
    server->element("channel");
  }
  Element& channel() { return server->element("channel"); }
  void write_locally(std::int64_t value) {
    Operation operation;
    operation.tuple = number(value);
    channel().perform(operation);
    ASSERT_EQ(operation.status, Status::ok);
  }
  Path path(const std::string& element = "channel") { return client.path(element, port); }
  Fault fault_of(std::uint64_t id, wire::Message message) {
    const std::optional<Reply> reply = client.ask(port, id, std::move(message));
    if (!reply || reply->kind != Kind::failed) return Fault{};
    return wire::decode<wire::Failure>(reply->envelope()).value_or(wire::Failure{}).fault;
  }
  std::uint64_t open_channel(std::uint64_t id) { return open_channel_by(client, id); }
  std::uint64_t open_channel_by(test::Client& who, std::uint64_t id) const {
    const auto reply =
        who.ask(port, id, wire::encode(id, wire::OpenRequest{"element", test::octets_of("channel"), {}}));
    return wire::decode<wire::Opened>(reply->envelope())->target;
  }

  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ElementServer> server{std::make_unique<test::ElementServer>(port)};
  test::Client client;
};

// --- operations on elements -------------------------------------------------------------------------

/// A path whose preparations are counted, and fail if `refuses`.
struct PreparedPath {
  PreparedPath(test::Client& client, std::uint16_t port)
      : path("channel", std::make_unique<RemoteStage>(client.links(), target(port))) {}
  RemoteTarget target(std::uint16_t port) {
    RemoteTarget target = test::Client::target("channel", {test::local_endpoint(port)});
    target.before_open = [this] {
      ++calls;
      if (on_call) on_call();
      if (refuses) throw EnvironmentError("there is no server");
    };
    return target;
  }
  int calls{0};
  bool refuses{false};
  std::function<void()> on_call;
  Path path;
};

TEST_F(ServerTest, BeforeATargetIsOpenedItIsPreparedAndNotForEachOperation) {
  PreparedPath prepared(client, port);
  EXPECT_EQ(prepared.calls, 0);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(prepared.path.read(From::newest, Deadline::now()).status, Status::empty);
  EXPECT_EQ(prepared.calls, 1);
}

TEST_F(ServerTest, AnOperationWhosePreparationFailsIsClosedWithTheReason) {
  PreparedPath prepared(client, port);
  prepared.refuses = true;
  const Received refused = prepared.path.read(From::newest, Deadline::after(60s));
  EXPECT_EQ(refused.status, Status::closed);
  EXPECT_EQ(refused.reason, "there is no server");
}

// The second call comes while the operation waits for a connection.
TEST_F(ServerTest, WithoutAConnectionAnOperationPreparesAgainUntilThereIsAServer) {
  server.reset();
  PreparedPath prepared(client, port);
  prepared.on_call = [&] {
    if (prepared.calls == 2) restart();
  };
  EXPECT_EQ(prepared.path.write(number(7), Deadline::after(60s)), Status::ok);
  EXPECT_EQ(prepared.calls, 2);
}

TEST_F(ServerTest, AfterALostConnectionTheTargetIsPreparedAnew) {
  PreparedPath prepared(client, port);
  ASSERT_EQ(prepared.path.write(number(7), Deadline::after(60s)), Status::ok);
  server.reset();
  prepared.on_call = [&] { restart(); };
  // An operation that was sent just before the loss was noticed may have happened: it is not repeated.
  while (prepared.path.write(number(8), Deadline::after(60s)) == Status::closed) {
  }
  EXPECT_EQ(prepared.calls, 2);
  EXPECT_EQ(test::told(prepared.path.read(From::newest, Deadline::after(60s))), "8");
}

TEST_F(ServerTest, OperationsWorkAsTheyDoLocally) {
  Path remote = path();
  EXPECT_EQ(remote.write(number(10)), Status::ok);
  EXPECT_EQ(remote.write(number(20)), Status::ok);
  EXPECT_EQ(remote.write(number(30), soon), Status::full);
  EXPECT_EQ(told(remote.read()), "10");
  EXPECT_EQ(told(remote.read(From::newest)), "20");
  EXPECT_EQ(told(remote.read_at(2)), "20");
  EXPECT_EQ(told(remote.take()), "10");
  EXPECT_EQ(told(remote.read_at(1)), "gone");
  EXPECT_EQ(remote.discard(2), Status::ok);
  EXPECT_EQ(told(remote.take(From::oldest, soon)), "empty");
  EXPECT_EQ(channel().counts().written, 2u);
}

// Like a program with a server in a static object that forks, and whose child calls exit().
TEST_F(ServerTest, AForkedChildLeavesItToTheParent) {
  Path remote = path();
  ASSERT_EQ(remote.write(number(10)), Status::ok);
  test::Child child([this] { server.reset(); });
  ASSERT_TRUE(eventually([&] { return child.has_ended(); }));
  EXPECT_TRUE(child.ends_well());
  EXPECT_EQ(told(remote.take()), "10");
}

TEST_F(ServerTest, ItsThreadsBlockSignals) {
  const test::NewThreads added;
  const std::uint16_t other_port = test::free_port();
  test::ElementServer other(other_port);
  other.element("channel");
  ASSERT_EQ(client.path("channel", other_port).write(number(10)), Status::ok);  // all of them work
  EXPECT_GE(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
}

TEST_F(ServerTest, ALastReplyIsReadAfterTheServerIsAskedToEnd) {
  Path remote = path();
  ASSERT_EQ(remote.write(number(10)), Status::ok);
  Operation operation;
  operation.tuple = number(20);
  operation.deadline = Deadline::after(5s);
  remote.stage().begin(operation);
  ASSERT_TRUE(eventually([this] { return channel().counts().written == 2; }));
  auto ending = std::async(std::launch::async, [this] { server.reset(); });
  remote.stage().finish(operation);
  EXPECT_EQ(operation.status, Status::ok);
}

TEST_F(ServerTest, NextContinuesAfterTheLastOneAndCountsMissedTuples) {
  server->element("channel");
  Path remote = path();
  ASSERT_EQ(remote.write(number(10)), Status::ok);
  EXPECT_EQ(told(remote.next()), "10");
  EXPECT_EQ(told(remote.next(soon)), "empty");
  ASSERT_EQ(remote.write(number(20)), Status::ok);
  EXPECT_EQ(remote.next().sequence, 2u);
}

TEST_F(ServerTest, TemplatesSelectRemotelyToo) {
  Path remote = path();
  ASSERT_EQ(remote.write(number(10)), Status::ok);
  ASSERT_EQ(remote.write(number(20)), Status::ok);
  const Template twenty{std::int64_t{20}};
  const Template thirty{std::int64_t{30}};
  EXPECT_EQ(told(remote.take(From::oldest, soon, &twenty)), "20");
  EXPECT_EQ(told(remote.take(From::oldest, soon, &thirty)), "empty");
}

TEST_F(ServerTest, AWaitIsEndedByALocalWrite) {
  Path remote = path();
  auto taken =
      std::async(std::launch::async, [&] { return told(remote.take(From::oldest, Deadline::after(30s))); });
  EXPECT_TRUE(eventually([&] { return server->report().requests >= 2; }));
  write_locally(7);
  EXPECT_EQ(taken.get(), "7");
}

TEST_F(ServerTest, AWaitIsEndedByAnotherClient) {
  Path remote = path();
  test::Client other;
  Path theirs = other.path("channel", port);
  auto taken =
      std::async(std::launch::async, [&] { return told(remote.take(From::oldest, Deadline::after(30s))); });
  EXPECT_EQ(theirs.write(number(8)), Status::ok);
  EXPECT_EQ(taken.get(), "8");
}

TEST_F(ServerTest, AWriteWaitsForRoom) {
  write_locally(1);
  write_locally(2);
  Path remote = path();
  auto written =
      std::async(std::launch::async, [&] { return remote.write(number(3), Deadline::after(30s)); });
  EXPECT_TRUE(eventually([&] { return server->report().requests >= 2; }));
  test::Client other;
  EXPECT_EQ(told(other.path("channel", port).take()), "1");
  EXPECT_EQ(written.get(), Status::ok);
}

TEST_F(ServerTest, ADeadlineEndsTheWaitAndNothingIsDone) {
  Path remote = path();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(told(remote.take(From::oldest, Deadline::after(50ms))), "timed out");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
  write_locally(7);
  EXPECT_EQ(told(remote.read()), "7");
}

TEST_F(ServerTest, AWaitWhoseTimeIsUpBeforeTheServerReceivesItTimesOut) {
  Path remote = path();
  EXPECT_EQ(told(remote.take(From::oldest, soon)), "empty");
  EXPECT_EQ(told(remote.take(From::oldest, Deadline::after(0s))), "timed out");
  write_locally(7);
  write_locally(8);
  EXPECT_EQ(remote.write(number(9), Deadline::after(0s)), Status::timed_out);
}

TEST_F(ServerTest, ManyOperationsAreUnderWayAtOnce) {
  Path first = path();
  Path second = client.path("other", port);
  server->element("other");
  Operation one;
  one.verb = Verb::take;
  Operation two = one;
  first.stage().begin(one);
  second.stage().begin(two);
  EXPECT_EQ(client.path("other", port).write(number(2)), Status::ok);
  second.stage().finish(two);
  EXPECT_EQ(two.tuple, number(2));
  EXPECT_FALSE(first.stage().ready(one));
  write_locally(1);
  first.stage().finish(one);
  EXPECT_EQ(one.tuple, number(1));
}

// --- refusals ---------------------------------------------------------------------------------------

TEST_F(ServerTest, AWrongSignatureIsRefused) {
  EXPECT_EQ(path().write(Tuple::of({"text"})), Status::refused);
  EXPECT_EQ(channel().counts().written, 0u);
}

TEST_F(ServerTest, AnUnknownElementAndAnUnknownKindAreRefusedByName) {
  EXPECT_EQ(told(path("nowhere").read()), "refused: there is no element 'nowhere'");
  EXPECT_EQ(server->refused(Fault::target), 1u);
  RemoteTarget target = test::Client::target("channel", {test::local_endpoint(port)});
  target.open.kind = "teapot";
  Path odd("odd", std::make_unique<RemoteStage>(client.links(), target));
  EXPECT_THAT(told(odd.read()), HasSubstr("node n1 has no targets of the kind 'teapot'"));
}

TEST_F(ServerTest, AMessageAboveTheClientsLimitIsNotSent) {
  test::Client small(NetworkLimits{.message_bytes = 1000});
  Path remote = small.path("channel", port);
  EXPECT_EQ(remote.write(Tuple::of({std::string_view(std::string(2000, 'x'))})), Status::refused);
  EXPECT_EQ(told(remote.read(From::oldest, soon)), "empty");
}

TEST_F(ServerTest, AMessageAboveTheServersLimitIsRefusedAndCounted) {
  restart(NetworkLimits{.message_bytes = 1000});
  Path remote = path();
  EXPECT_EQ(remote.write(Tuple::of({std::string_view(std::string(2000, 'x'))})), Status::refused);
  EXPECT_EQ(server->refused(Fault::oversized), 1u);
  EXPECT_EQ(remote.write(number(1)), Status::ok);
}

TEST_F(ServerTest, ATupleTooLargeForAReplyStaysAndIsRefusedWithAReason) {
  restart(NetworkLimits{.message_bytes = 1000});
  Element& texts = server->element("texts", 10, {FieldType::text});
  for (const std::size_t length : {2000u, 900u}) {
    Operation write;
    write.tuple = Tuple::of({std::string_view(std::string(length, 'x'))});
    texts.perform(write);
    ASSERT_EQ(write.status, Status::ok);
  }
  Path remote = path("texts");
  for (const Received& received : {remote.read(), remote.take(), remote.next()}) {
    EXPECT_EQ(received.status, Status::refused);
    EXPECT_THAT(received.reason, HasSubstr("tuple 1 has 2004 bytes; `limits: message` leaves 946"));
  }
  EXPECT_EQ(texts.counts().kept, 2u);
  EXPECT_EQ(server->refused(Fault::oversized), 0u);
  EXPECT_EQ(remote.read_at(2).tuple.get<std::string_view>(0).size(), 900u);
  EXPECT_EQ(remote.take(From::newest).sequence, 2u);
  EXPECT_EQ(remote.discard(1), Status::ok);
  EXPECT_EQ(remote.write(Tuple::of({"short"})), Status::ok);
  EXPECT_EQ(remote.take().sequence, 3u);
}

TEST_F(ServerTest, AWaitForATupleTooLargeForAReplyIsRefused) {
  restart(NetworkLimits{.message_bytes = 1000});
  Element& texts = server->element("texts", 10, {FieldType::text});
  Path remote = path("texts");
  auto taken =
      std::async(std::launch::async, [&] { return remote.take(From::oldest, Deadline::after(30s)); });
  EXPECT_TRUE(eventually([&] { return server->report().requests >= 2; }));
  Operation write;
  write.tuple = Tuple::of({std::string_view(std::string(2000, 'x'))});
  texts.perform(write);
  EXPECT_EQ(taken.get().status, Status::refused);
  EXPECT_EQ(texts.counts().kept, 1u);
}

TEST_F(ServerTest, ARequestIdNotAboveTheLastOneIsRefused) {
  EXPECT_EQ(fault_of(5, wire::encode(Kind::ping, 5)), Fault{});
  EXPECT_EQ(fault_of(5, wire::encode(Kind::ping, 5)), Fault::replayed);
  EXPECT_EQ(fault_of(4, wire::encode(Kind::ping, 4)), Fault::replayed);
  EXPECT_EQ(fault_of(6, wire::encode(Kind::ping, 6)), Fault{});
  EXPECT_EQ(server->refused(Fault::replayed), 2u);
}

TEST_F(ServerTest, MalformedMessagesAreCountedByCauseAndAnswered) {
  wire::Message version = wire::encode(Kind::ping, 1);
  version[4] = std::byte{wire::protocol_version + 1};
  EXPECT_EQ(fault_of(1, version), Fault::version);
  wire::Message kind = wire::encode(Kind::ping, 2);
  kind[5] = std::byte{99};
  EXPECT_EQ(fault_of(2, kind), Fault::kind);
  EXPECT_EQ(fault_of(3, wire::encode(Kind::closed, 3)), Fault::kind);  // a reply
  wire::Message body = wire::encode(Kind::open, 4);
  EXPECT_EQ(fault_of(4, body), Fault::body);
  EXPECT_EQ(fault_of(5, wire::encode(Kind::operate, 5)), Fault::body);
  EXPECT_EQ(fault_of(6, wire::encode(Kind::close, 6)), Fault::body);
  EXPECT_EQ(fault_of(7, wire::encode(7, wire::CloseRequest{99, 0, {}})), Fault::target);
  EXPECT_EQ(fault_of(8, wire::encode(8, wire::OperateRequest{})), Fault::target);
  wire::Message reserved = wire::encode(Kind::ping, 9);
  reserved[6] = std::byte{2};
  EXPECT_EQ(fault_of(9, reserved), Fault::foreign);
  wire::Message cut = wire::encode(Kind::ping, 10);
  cut.pop_back();
  EXPECT_EQ(fault_of(10, cut), Fault::truncated);
  EXPECT_EQ(server->refused(Fault::version), 1u);
  EXPECT_EQ(server->refused(Fault::kind), 2u);
  EXPECT_EQ(server->refused(Fault::body), 3u);
  EXPECT_EQ(server->refused(Fault::target), 2u);
  test::Client other;
  EXPECT_EQ(told(other.path("channel", port).read(From::oldest, soon)), "empty");  // the server continues
}

TEST_F(ServerTest, APeerCannotUseATargetOfAnotherPeer) {
  const std::uint64_t target = open_channel(1);
  test::Client other;
  wire::OperateRequest request;
  request.target = target;
  const auto reply = other.ask(port, 1, wire::encode(1, request));
  ASSERT_TRUE(reply);
  EXPECT_EQ(wire::decode<wire::Failure>(reply->envelope())->fault, Fault::target);
}

// --- bounds -----------------------------------------------------------------------------------------

TEST_F(ServerTest, OpenTargetsAreBounded) {
  restart(NetworkLimits{.open_targets = 2});
  Path one = path();
  Path two = path();
  Path three = path();
  EXPECT_EQ(told(one.read(From::oldest, soon)), "empty");
  EXPECT_EQ(told(two.read(From::oldest, soon)), "empty");
  EXPECT_THAT(told(three.read(From::oldest, soon)), HasSubstr("open_targets"));
  EXPECT_EQ(server->refused(Fault::busy), 1u);
}

TEST_F(ServerTest, AClosedTargetMakesRoom) {
  restart(NetworkLimits{.open_targets = 1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told(path().read(From::oldest, soon)), "empty");
  EXPECT_EQ(server->refused(Fault::busy), 0u);
}

TEST_F(ServerTest, AnUnusedTargetIsFreedAndOpenedAgainWhenUsed) {
  restart(NetworkLimits{.lease = 20ms});
  Path remote = path();
  EXPECT_EQ(remote.write(number(1)), Status::ok);
  EXPECT_TRUE(eventually([&] { return server->report().open_targets == 0; }));
  EXPECT_EQ(told(remote.take()), "1");
}

TEST_F(ServerTest, ATargetWithAnOperationUnderWayIsNotFreed) {
  restart(NetworkLimits{.lease = 20ms});
  Path remote = path();
  Operation take;
  take.verb = Verb::take;
  remote.stage().begin(take);
  EXPECT_FALSE(remote.stage().ready(take));
  EXPECT_TRUE(eventually([&] { return remote.stage().ready(take) || server->report().requests >= 2; }));
  write_locally(5);
  remote.stage().finish(take);
  EXPECT_EQ(take.tuple, number(5));
}

TEST_F(ServerTest, KnownConnectionsAreBounded) {
  restart(NetworkLimits{.connections = 2});
  for (int i = 0; i < 5; ++i) {
    test::Client one;
    EXPECT_TRUE(one.ask(port, 1, wire::encode(Kind::ping, 1)));
  }
  EXPECT_LE(server->report().connections, 2u);
}

TEST_F(ServerTest, ANewConnectionIsRefusedWhileAsManyAsAllowedStand) {
  restart(NetworkLimits{.connections = 2});
  test::Client first;
  auto second = std::make_unique<test::Client>();
  for (test::Client* const one : {&first, second.get()})
    EXPECT_TRUE(one->ask(port, 5, wire::encode(Kind::ping, 5)));
  test::Client third;
  std::uint64_t id = 5;
  const auto answer = [&] { return third.ask(port, id, wire::encode(Kind::ping, id))->kind; };
  EXPECT_EQ(answer(), Kind::failed);
  EXPECT_EQ(server->refused(Fault::busy), 1u);
  EXPECT_EQ(first.ask(port, 5, wire::encode(Kind::ping, 5))->kind, Kind::failed) << "a replay is still known";
  second.reset();
  EXPECT_TRUE(eventually([&] { return ++id, answer() == Kind::report; }));
}

TEST_F(ServerTest, APeerThatDoesNotReadMakesTheServerHoldFourMessagesAtMost) {
  restart(NetworkLimits{.message_bytes = 1u << 20});
  server->element("large", 2, {FieldType::bytes});
  EXPECT_EQ(path("large").write(Tuple::of({std::vector<std::byte>(1'000'000)})), Status::ok);
  zmq::context_t context;
  zmq::socket_t reader(context, zmq::socket_type::dealer);
  reader.set(zmq::sockopt::linger, 0);
  reader.set(zmq::sockopt::rcvhwm, 1);
  reader.set(zmq::sockopt::rcvbuf, 4096);
  reader.connect(test::local_endpoint(port));
  const auto send = [&](const wire::Message& message) {
    reader.send(zmq::buffer(message), zmq::send_flags::none);
  };
  send(wire::encode(1, wire::OpenRequest{"element", test::octets_of("large"), {}}));
  zmq::message_t opened;
  ASSERT_TRUE(reader.recv(opened));
  const wire::ParsedHeader parsed = wire::parse_header({opened.data<std::byte>(), opened.size()}, 1u << 20);
  const std::uint64_t target = wire::decode<wire::Opened>(parsed.envelope)->target;
  const auto undeliverable = [&] { return server->report().undeliverable; };
  constexpr std::uint64_t reads = 100;
  for (std::uint64_t id = 2; id < 2 + reads; ++id) {
    wire::Message request = wire::encode(id, wire::OperateRequest{target, Verb::read, 0, 0, 0});
    wire::append(request, wire::ElementRequest{From::oldest, 0, {}, {}});
    wire::seal(request);
    send(request);
  }
  EXPECT_TRUE(eventually([&] { return server->report().requests >= 3 + reads; }));
  EXPECT_GE(undeliverable(), reads / 2) << "the kernel's buffers hold some";
  EXPECT_EQ(told(path().read(From::oldest, soon)), "empty") << "others are served";
}

TEST_F(ServerTest, ATakenPortIsReported) {
  const std::string error =
      test::error_text<EnvironmentError>([&] { const test::ElementServer second(port); });
  EXPECT_THAT(error, HasSubstr("the port is taken"));
  EXPECT_THAT(error, HasSubstr(std::to_string(port)));
}

TEST_F(ServerTest, AServerReportsItsIdentity) {
  const auto reply = client.ask(port, 1, wire::encode(Kind::ping, 1));
  ASSERT_TRUE(reply);
  const auto report = wire::decode<wire::ServerReport>(reply->envelope());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->name, "node n1");
  EXPECT_EQ(report->session, "wind");
  EXPECT_EQ(report->fingerprint, 0xfeedu);
  EXPECT_EQ(report->pid, ::getpid());
  EXPECT_EQ(report->refused.size(), wire::fault_count);
}

// --- servers and clients that end -------------------------------------------------------------------

TEST_F(ServerTest, StoppingEndsTheWaitsAsClosed) {
  Path remote = path();
  auto taken =
      std::async(std::launch::async, [&] { return told(remote.take(From::oldest, Deadline::after(30s))); });
  EXPECT_TRUE(eventually([&] { return server->report().requests >= 2; }));
  server.reset();
  EXPECT_EQ(taken.get(), "closed");
}

TEST_F(ServerTest, AServerThatIsNotThereTimesOut) {
  server.reset();
  EXPECT_EQ(told(path().read(From::oldest, Deadline::now())), "timed out");
}

TEST_F(ServerTest, ARestartedServerIsUsedAgain) {
  Path remote = path();
  ASSERT_EQ(remote.write(number(1)), Status::ok);
  restart();
  EXPECT_TRUE(eventually([&] { return remote.write(number(2), Deadline::after(100ms)) == Status::ok; }));
  EXPECT_GE(channel().counts().written, 1u);
}

// Even if both gave it the same number.
TEST_F(ServerTest, AnOldTargetIsNotMistakenForOneOfTheRestartedServer) {
  server->element("left");
  server->element("right");
  Path left = client.path("left", port);
  Path right = client.path("right", port);
  ASSERT_EQ(left.write(number(1)), Status::ok);
  ASSERT_EQ(right.write(number(2)), Status::ok);
  restart();
  server->element("left");
  server->element("right");
  ASSERT_TRUE(eventually([&] { return right.write(number(4), Deadline::after(100ms)) == Status::ok; }));
  EXPECT_EQ(left.write(number(3)), Status::ok);
  EXPECT_EQ(told(left.take()), "3");
  EXPECT_EQ(told(right.take()), "4");
}

TEST_F(ServerTest, AClientThatVanishesTakesNothingFromTheOthers) {
  {
    test::Client doomed;  // ends without closing its targets
    Link& link = doomed.links().to(test::local_endpoint(port));
    wire::OperateRequest take;
    take.target = open_channel_by(doomed, link.next_id());
    take.verb = Verb::take;
    const std::uint64_t id = link.next_id();
    Operation operation;
    operation.verb = Verb::take;
    wire::Message message = wire::encode(id, take);
    ElementClient().write_request(operation, message);
    wire::seal(message);
    ASSERT_TRUE(link.send(id, std::move(message), nullptr));
    EXPECT_TRUE(eventually([&] { return server->report().requests == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return server->report().undeliverable >= 1; }));
  write_locally(9);
  EXPECT_EQ(told(path().take(From::oldest, Deadline::after(10s))), "9");
}

// --- gateways ---------------------------------------------------------------------------------------

class GatewayTest : public ServerTest {
 protected:
  Path through_gateway(const std::string& element = "channel") {
    return client.path(element, {test::local_endpoint(gate_port), test::local_endpoint(port)});
  }
  std::uint16_t gate_port{test::free_port()};
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
};

TEST_F(GatewayTest, OperationsPassAGateway) {
  Path remote = through_gateway();
  EXPECT_EQ(remote.write(number(1)), Status::ok);
  EXPECT_EQ(told(remote.take()), "1");
  EXPECT_EQ(gateway.report().open_targets, 1u);
}

TEST_F(GatewayTest, NonBlockingOperationsPassAGateway) {
  Path remote = through_gateway();
  EXPECT_EQ(told(remote.take(From::oldest, soon)), "empty");
  EXPECT_EQ(remote.write(number(1), soon), Status::ok);
  EXPECT_EQ(told(remote.take(From::oldest, soon)), "1");
}

TEST_F(GatewayTest, WaitsPassAGateway) {
  Path remote = through_gateway();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(told(remote.take(From::oldest, Deadline::after(100ms))), "timed out");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 100ms);
  auto taken =
      std::async(std::launch::async, [&] { return told(remote.take(From::oldest, Deadline::after(30s))); });
  write_locally(3);
  EXPECT_EQ(taken.get(), "3");
}

TEST_F(GatewayTest, RefusalsPassAGateway) {
  EXPECT_EQ(told(through_gateway("nowhere").read()), "refused: there is no element 'nowhere'");
}

TEST_F(GatewayTest, ARouteThatIsNotAllowedIsRefused) {
  Path astray = client.path("channel", {test::local_endpoint(gate_port), "tcp://127.0.0.1:1"});
  EXPECT_THAT(told(astray.read()), HasSubstr("does not forward to tcp://127.0.0.1:1"));
}

TEST_F(GatewayTest, ADeadServerBehindAGatewayDoesNotHoldTheGateway) {
  Path remote = through_gateway();
  ASSERT_EQ(remote.write(number(1)), Status::ok);
  server.reset();
  Operation take;
  take.verb = Verb::take;
  take.deadline = Deadline::after(50ms);
  remote.stage().begin(take);
  gateway.element("own");
  EXPECT_EQ(client.path("own", gate_port).write(number(1), Deadline::after(10s)), Status::ok);
  remote.stage().finish(take);
  EXPECT_NE(take.status, Status::ok);
}

}  // namespace
}  // namespace eventspace
