#include "paths/server/target_pushes.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "paths/bodies/element_bodies.h"
#include "paths/pushes.h"
#include "tests/paths/server_talk.h"

// Messages that are not replies, in both directions, with credit.

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::octets;

TEST(PushCreditTest, NeitherEndExceedsItsGrant) {
  PushCredit credit;
  EXPECT_FALSE(credit.send());
  EXPECT_TRUE(credit.hear(2));
  EXPECT_FALSE(credit.hear(1)) << "a grant that is late";
  EXPECT_TRUE(credit.send());
  EXPECT_TRUE(credit.send());
  EXPECT_FALSE(credit.send());
  EXPECT_EQ(credit.sent(), 2u);
  EXPECT_FALSE(credit.receive());
  EXPECT_TRUE(credit.grant(1));
  EXPECT_FALSE(credit.grant(1));
  EXPECT_TRUE(credit.receive());
  EXPECT_FALSE(credit.receive());
}

/// Echoes each message twice, as far as its credit allows, and grants the peer two messages with each
/// operation. Has a fault: throws at a message that begins with 0xff.
class EchoStage final : public Stage, public PushReceiver {
 public:
  void begin(Operation& operation) override { operation.status = Status::ok; }
  bool ready(Operation&) override { return true; }
  void finish(Operation&) override { outlet_->grant(granted_ += 2); }
  PushReceiver* open_pushes(PushOutlet& outlet) override {
    outlet_ = &outlet;
    return this;
  }
  void receive(Bytes body) override {
    if (!body.empty() && body[0] == std::byte{0xff}) throw std::runtime_error("this message is not for me");
    waiting_.insert(waiting_.end(), 2, test::Octets(body.begin(), body.end()));
    send();
  }
  void granted() override { send(); }

 private:
  void send() {
    while (!waiting_.empty() && outlet_->push(waiting_.front())) waiting_.erase(waiting_.begin());
  }

  PushOutlet* outlet_{nullptr};
  std::uint64_t granted_{0};
  std::vector<test::Octets> waiting_;
};

class PushesTest : public testing::TestWithParam<bool>, public PushReceiver {
 protected:
  void receive(Bytes body) override { came.push_back(test::hex(body)); }
  void ended() override { ++ends; }

  void operate() {
    Operation operation;
    operation.deadline = Deadline::after(10s);
    stage->call(operation);
    ASSERT_EQ(operation.status, Status::ok) << operation.reason;
  }
  bool eventually_has(std::size_t count) {
    return test::eventually([&] {
      link().progress();
      return came.size() >= count;
    });
  }
  bool eventually_may_send(std::uint64_t total) {
    return test::eventually([&] {
      link().progress();
      return stage->pushes().may_send() == total;
    });
  }
  Link& link() { return client.link(GetParam() ? gate_port : port); }
  std::vector<std::string> hops() const {
    const std::string there = test::local_endpoint(port);
    return GetParam() ? std::vector{test::local_endpoint(gate_port), there} : std::vector{there};
  }
  std::unique_ptr<test::ElementServer> make_server() {
    return std::make_unique<test::ElementServer>(port, NetworkLimits{},
                                                 test::Targets{{"echo", element_kind([](Bytes, LinkPool&) {
                                                                  return std::make_unique<EchoStage>();
                                                                })}});
  }
  std::unique_ptr<RemoteStage> make_stage() {
    RemoteTarget target = test::Client::target("", hops());
    target.open.kind = "echo";
    auto made = std::make_unique<RemoteStage>(client.links(), std::move(target));
    made->pushes().receive_at(this);
    return made;
  }

  std::uint16_t port{test::free_port()}, gate_port{test::free_port()};
  std::unique_ptr<test::ElementServer> server{make_server()};
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
  test::Client client;
  std::vector<std::string> came;
  int ends{0};
  std::unique_ptr<RemoteStage> stage{make_stage()};
};

INSTANTIATE_TEST_SUITE_P(Ways, PushesTest, testing::Bool(),
                         [](const auto& given) { return given.param ? "ThroughAGateway" : "Directly"; });

TEST_P(PushesTest, MessagesGoBothWaysWithinTheGrants) {
  EXPECT_FALSE(stage->pushes().push(octets("01"))) << "the target is not open";
  operate();
  ASSERT_TRUE(eventually_may_send(2));
  EXPECT_TRUE(stage->pushes().push(octets("01")));
  EXPECT_TRUE(stage->pushes().push(octets("02")));
  EXPECT_FALSE(stage->pushes().push(octets("03"))) << "the server has granted two";
  EXPECT_EQ(stage->pushes().sent(), 2u);
  operate();  // its reply comes after all messages sent before it; there is no grant yet
  EXPECT_TRUE(came.empty());
  stage->pushes().grant(3);
  EXPECT_TRUE(eventually_has(3));
  operate();
  EXPECT_EQ(came, (std::vector<std::string>{"01", "01", "02"}));
  stage->pushes().grant(10);
  EXPECT_TRUE(eventually_has(4));
  EXPECT_EQ(came.back(), "02");
  EXPECT_EQ(server->refused(wire::Fault::credit), 0u);
}

TEST_P(PushesTest, AGrantBeforeTheTargetIsOpenCounts) {
  stage->pushes().grant(5);
  operate();
  ASSERT_TRUE(eventually_may_send(2));
  EXPECT_TRUE(stage->pushes().push(octets("07")));
  EXPECT_TRUE(eventually_has(2));
}

TEST_P(PushesTest, AnExceptionOfTheReceiverEndsNoServerAndIsCounted) {
  operate();
  ASSERT_TRUE(eventually_may_send(2));
  EXPECT_TRUE(stage->pushes().push(octets("ff")));
  EXPECT_TRUE(stage->pushes().push(octets("01")));
  stage->pushes().grant(2);
  EXPECT_TRUE(eventually_has(2));
  EXPECT_EQ(came, (std::vector<std::string>{"01", "01"}));
  EXPECT_EQ(server->refused(wire::Fault::body), 1u);
}

TEST_P(PushesTest, AnOversizedMessageIsNotSentAndUsesNoCredit) {
  operate();
  ASSERT_TRUE(eventually_may_send(2));
  EXPECT_FALSE(stage->pushes().push(test::Octets(NetworkLimits{}.message_bytes)));
  EXPECT_EQ(stage->pushes().sent(), 0u);
}

TEST_P(PushesTest, ALostServerEndsTheReceiverAndBothStartOver) {
  operate();
  ASSERT_TRUE(eventually_may_send(2));
  server.reset();
  server = make_server();
  EXPECT_TRUE(test::eventually([&] {
    Operation operation;
    operation.deadline = Deadline::after(1s);
    stage->call(operation);
    return operation.status == Status::ok && ends > 0;
  }));
  EXPECT_EQ(stage->pushes().sent(), 0u);
  stage->pushes().grant(2);
  EXPECT_TRUE(test::eventually([&] {
    link().progress();
    return stage->pushes().may_send() >= 2;
  }));
  came.clear();
  EXPECT_TRUE(stage->pushes().push(octets("09")));
  EXPECT_TRUE(eventually_has(2));
}

// A peer is not trusted to keep to its grant.
TEST_P(PushesTest, AMessageWithoutAGrantIsRefusedAndCounted) {
  const std::uint64_t opening = link().next_id();
  wire::OpenRequest request{"echo", {}, {}};
  if (GetParam()) request.route = {test::local_endpoint(port)};
  ASSERT_TRUE(link().send(opening, wire::encode(opening, request), nullptr));
  const auto opened = link().wait(opening, Deadline::after(10s));
  ASSERT_TRUE(opened);
  const std::uint64_t target = wire::decode<wire::Opened>(opened->envelope())->target;
  const auto fault_of = [&](wire::Message message, std::uint64_t id) {
    EXPECT_TRUE(link().send(id, std::move(message), nullptr));
    const auto reply = link().wait(id, Deadline::after(10s));
    return reply ? wire::decode<wire::Failure>(reply->envelope()).value_or(wire::Failure{}).fault
                 : wire::Fault{};
  };
  std::uint64_t id = link().next_id();
  EXPECT_EQ(fault_of(wire::encode(wire::Kind::push, id, wire::Push{target}), id), wire::Fault::credit);
  id = link().next_id();
  EXPECT_EQ(fault_of(wire::encode(wire::Kind::push, id, wire::Push{target + 1}), id), wire::Fault::target);
  id = link().next_id();
  EXPECT_EQ(fault_of(wire::encode(wire::Kind::credit, id), id), wire::Fault::body);
}

}  // namespace
}  // namespace eventspace
