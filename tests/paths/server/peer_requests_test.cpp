#include "paths/server/peer_requests.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "paths/bodies/element_layouts.h"
#include "paths/server/server_socket.h"
#include "tests/paths/server_talk.h"

namespace eventspace {
namespace {

using wire::Fault;

/// The requests of a peer that is not connected: it gets no replies, but the server counts its refusals.
class PeerRequestsTest : public testing::Test {
 protected:
  /// Returns the fault with which the request was refused; nullopt if it was performed.
  std::optional<Fault> ask(const wire::Message& message, Role role = Role::owner) {
    const wire::ParsedHeader parsed = wire::parse_header(message, limits.message_bytes);
    EXPECT_FALSE(parsed.fault);
    const auto before = refusals();
    const Asked asked{"peer", parsed.header.id, {}, role};
    if (requests.admit(asked)) requests.perform(asked, parsed);
    const auto after = refusals();
    for (std::size_t i = 0; i < after.size(); ++i)
      if (after[i] != before[i]) return static_cast<Fault>(i);
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::uint64_t> refusals() const {
    std::vector<std::uint64_t> counts;
    for (const auto& count : counters.refused) counts.push_back(count.load());
    return counts;
  }
  wire::Message open(const std::string& kind) {
    wire::OpenRequest request;
    request.kind = kind;
    return wire::encode(++id, request);
  }

  Element channel{{"channel", {FieldType::integer}, 2}};
  NetworkLimits limits;
  Network network{limits};
  ServerCounters counters;
  WakeQueue woken;
  LinkPool links{network, Progress::by_loop};
  OpenTargets targets{10, 10, std::chrono::minutes(1)};
  LoopSocket router{listen_at(test::local_endpoint(test::free_port()), network, "the server")};
  NodeClock clock;
  Replies replies{router, counters, clock, limits.message_bytes};
  TargetOperations operations{targets, woken, replies, {limits.message_bytes, limits.queued_messages, {}}};
  test::Targets kinds;
  std::set<std::string> routes, observable{"scope"};
  std::string name{"the server"};
  TargetOpener opener{{name, kinds, routes, 10}, links, targets, replies};
  std::function<wire::ServerReport()> report = [] { return wire::ServerReport{}; };
  PeerRequests requests{
      {targets, opener, operations, replies, counters}, observable, [this] { return report(); }};
  std::uint64_t id{0};
};

TEST_F(PeerRequestsTest, AnIdMustBeLargerThanTheLastOfItsPeer) {
  EXPECT_EQ(ask(wire::encode(wire::Kind::ping, 5)), std::nullopt);
  EXPECT_EQ(ask(wire::encode(wire::Kind::ping, 5)), Fault::replayed);
  EXPECT_EQ(ask(wire::encode(wire::Kind::ping, 6)), std::nullopt);
}

TEST_F(PeerRequestsTest, ATargetThatIsNotOpenIsAFault) {
  EXPECT_EQ(ask(open("element")), Fault::target) << "there is no such kind";
  EXPECT_EQ(ask(wire::encode(++id, wire::CloseRequest{7, 0, {}})), Fault::target);
  wire::Message operate = wire::encode(++id, wire::OperateRequest{.target = 7});
  wire::seal(operate);
  EXPECT_EQ(ask(operate), Fault::target);
}

TEST_F(PeerRequestsTest, ACancellationConcernsTheRequestThatItNames) {
  kinds.emplace("element", element_kind([this](Bytes, LinkPool&) -> std::unique_ptr<Stage> {
                  return std::make_unique<ElementStage>(channel);
                }));
  EXPECT_EQ(ask(open("element")), std::nullopt);
  const std::uint64_t target = targets.opened_by("peer", id);
  wire::Message take = wire::encode(++id, wire::OperateRequest{.target = target, .verb = Verb::take});
  wire::append(take, wire::ElementRequest{});
  wire::seal(take);
  EXPECT_EQ(ask(take), std::nullopt);
  const std::uint64_t asked = id;
  EXPECT_EQ(ask(wire::encode(++id, wire::Cancel{target, asked - 1})), std::nullopt);
  EXPECT_FALSE(operations.is_idle());
  EXPECT_EQ(ask(wire::encode(++id, wire::Cancel{target + 1, asked})), Fault::target);
  EXPECT_FALSE(operations.is_idle());
  EXPECT_EQ(ask(wire::encode(++id, wire::Cancel{target, asked})), std::nullopt);
  EXPECT_TRUE(operations.is_idle());
  EXPECT_EQ(ask(wire::encode(++id, wire::Cancel{target, asked})), std::nullopt) << "it has ended";
}

TEST_F(PeerRequestsTest, AnObserverOpensObservableKindsOnly) {
  EXPECT_EQ(ask(open("element"), Role::observer), Fault::verb);
  EXPECT_EQ(ask(open("scope"), Role::observer), Fault::target) << "allowed, but this server has no scopes";
}

TEST_F(PeerRequestsTest, AnExceptionIsARefusal) {
  report = []() -> wire::ServerReport { throw std::runtime_error("no memory"); };
  EXPECT_EQ(ask(wire::encode(wire::Kind::ping, ++id)), Fault::body);
}

}  // namespace
}  // namespace eventspace
