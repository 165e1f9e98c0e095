#include "paths/bodies/target_kind.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "paths/bodies/target_client.h"
#include "tests/paths/server_talk.h"

// A kind of target that is unknown to paths/: a counter with its own request, result and parts. It works
// through a gateway, so new kinds need no change there.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

struct CountBody : OperationBody {
  std::uint8_t step{0};
  std::uint64_t total{0};
  std::vector<std::string> ahead;
  bool compared_clocks{false};
};
CountBody& count_of(Operation& operation) { return static_cast<CountBody&>(*operation.body); }

/// Adds the requested step to a total.
class CountingStage final : public Stage {
 public:
  explicit CountingStage(std::atomic<int>& seen) : seen_(&seen) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation&) override { return true; }
  void finish(Operation& operation) override {
    ++*seen_;
    CountBody& count = count_of(operation);
    if (count.after != counted_) total_ = before_;  // the last result did not arrive: count it again
    before_ = total_;
    counted_ = count.id;
    count.total = total_ += count.step;
    operation.status = Status::ok;
  }

 private:
  std::atomic<int>* seen_;
  std::uint64_t total_{0}, before_{0}, counted_{0};
};

/// Sends n parts ahead of the reply to step n.
class ServedCount final : public ServedOperation {
 public:
  ServedCount(Bytes body, PartSink& parts) : parts_(&parts) {
    body_.step = std::to_integer<std::uint8_t>(body[0]);
  }
  CountBody& body() { return body_; }
  void send_parts(Operation&) override {
    for (std::uint8_t i = 0; i < body_.step; ++i)
      parts_->send([i](wire::Message& part) { part.push_back(std::byte{i}); });
  }
  void write_reply(Operation& operation, wire::Message& reply) override {
    reply.push_back(static_cast<std::byte>(count_of(operation).total));
  }

 private:
  CountBody body_;
  PartSink* parts_;
};

class CountingKind final : public TargetKind {
 public:
  explicit CountingKind(std::atomic<int>& seen) : seen_(&seen) {}
  [[nodiscard]] bool takes(Verb verb) const noexcept override { return verb == Verb::pull; }
  [[nodiscard]] std::unique_ptr<Stage> open(Bytes, LinkPool&) const override {
    return std::make_unique<CountingStage>(*seen_);
  }
  [[nodiscard]] std::unique_ptr<ServedOperation> read_request(Bytes body, Operation& operation,
                                                              PartSink& parts) const override {
    if (body.size() != 1) return nullptr;
    auto served = std::make_unique<ServedCount>(body, parts);
    operation.body = &served->body();
    return served;
  }

 private:
  std::atomic<int>* seen_;
};

class CountingClient final : public TargetClient {
 public:
  void write_request(const Operation& operation, wire::Message& request) const override {
    const std::uint8_t step = static_cast<const CountBody&>(*operation.body).step;
    for (int i = step == 99 ? 2 : 1; i > 0; --i)
      request.push_back(std::byte{step});  // 99: a body that the server refuses
  }
  [[nodiscard]] std::string read_reply(Operation& operation, const ReplyBody& reply) override {
    if (operation.status != Status::ok) return {};
    if (reply.body.size() != 1) return "not one byte";
    CountBody& count = count_of(operation);
    count.total = std::to_integer<std::uint64_t>(reply.body[0]);
    for (const ReplyPart& part : reply.parts) count.ahead.push_back(test::hex(part.body));
    count.compared_clocks = reply.clocks.has_value();
    return {};
  }
};

class TargetKindTest : public testing::TestWithParam<bool> {
 protected:
  Operation operate(Verb verb, std::uint8_t step) {
    count = CountBody{};
    count.id = ++last_;
    count.after = arrived_;
    count.step = step;
    Operation operation;
    operation.verb = verb;
    operation.body = &count;
    operation.deadline = Deadline::after(10s);
    stage->call(operation);
    if (operation.status == Status::ok) arrived_ = last_;
    return operation;
  }

  std::vector<std::string> hops() const {
    const std::string endpoint = test::local_endpoint(port);
    return GetParam() ? std::vector{test::local_endpoint(gate_port), endpoint} : std::vector{endpoint};
  }
  std::unique_ptr<Stage> make_stage() {
    RemoteTarget target = test::Client::target("", hops());
    target.open.kind = "counter";
    return std::make_unique<RemoteStage>(client.links(), std::move(target),
                                         std::make_unique<CountingClient>());
  }

  std::atomic<int> seen{0};  // operations that stages have seen
  std::uint16_t port{test::free_port()}, gate_port{test::free_port()};
  test::ElementServer server{port, {}, {{"counter", std::make_shared<CountingKind>(seen)}}};
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
  test::Client client;
  std::unique_ptr<Stage> stage{make_stage()};
  CountBody count;

 private:
  std::uint64_t last_{0};
  std::uint64_t arrived_{0};
};

INSTANTIATE_TEST_SUITE_P(Ways, TargetKindTest, testing::Bool(),
                         [](const auto& given) { return given.param ? "ThroughAGateway" : "Directly"; });

TEST_P(TargetKindTest, BodiesAndPartsAndNumbersArrive) {
  EXPECT_EQ(operate(Verb::pull, 2).status, Status::ok);
  EXPECT_EQ(count.total, 2u);
  EXPECT_EQ(count.ahead, (std::vector<std::string>{"00", "01"}));
  EXPECT_TRUE(count.compared_clocks);
  EXPECT_EQ(operate(Verb::pull, 3).status, Status::ok);
  EXPECT_EQ(count.total, 5u);
  EXPECT_EQ(count.ahead.size(), 3u);
}

TEST_P(TargetKindTest, AVerbThatTheKindDoesNotAcceptIsRefusedBeforeAStageSeesIt) {
  const Operation refused = operate(Verb::write, 1);
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_NE(refused.reason.find("does not accept the verb write"), std::string::npos) << refused.reason;
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(server.refused(wire::Fault::verb), 1u);
  EXPECT_EQ(operate(Verb::pull, 1).status, Status::ok) << "the target is still of use";
}

TEST_P(TargetKindTest, ABodyThatTheKindCannotReadIsRefused) {
  const Operation refused = operate(Verb::pull, 99);
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(server.refused(wire::Fault::body), 1u);
}

TEST_P(TargetKindTest, AnElementAcceptsNoPull) {
  server.element("channel");
  stage = std::make_unique<RemoteStage>(client.links(), test::Client::target("channel", hops()),
                                        std::make_unique<CountingClient>());
  EXPECT_EQ(operate(Verb::pull, 1).status, Status::refused);
  EXPECT_EQ(server.refused(wire::Fault::verb), 1u);
}

}  // namespace
}  // namespace eventspace
