#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "paths/delay_wrapper.h"
#include "paths/views/view.h"
#include "scopes/pulls/pull_bodies.h"
#include "tests/paths/server_talk.h"

// Pulls as transactions through a remote stage: records that a source has read are requested again until they
// are known to have arrived.

namespace eventspace {
namespace {

using namespace std::chrono_literals;

/// A source of records 1, 2, 3, ..., two for each pull, with a read position as in ReadStage. While it is
/// mute it blocks its server, as if the server were stopped.
class CountingSource final : public Stage {
 public:
  explicit CountingSource(std::atomic<bool>& mute) : mute_(&mute) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation&) override { return true; }
  void finish(Operation& operation) override {
    mute_->wait(true);
    Pull& pull = pull_of(operation);
    if (pull.after == sent_pull_) {
      committed_ = sent_;
    } else {
      sent_ = committed_;
    }
    sent_pull_ = pull.id;
    for (int i = 0; i < 2; ++i) pull.view.records.push_back({{++sent_}});
    operation.status = Status::ok;
  }

 private:
  std::atomic<bool>* mute_;
  std::uint64_t committed_{0}, sent_{0}, sent_pull_{0};
};

RemoteTarget source_behind(std::vector<std::string> hops) {
  RemoteTarget target;
  target.endpoint = hops.front();
  target.open = {"source", {}, {hops.begin() + 1, hops.end()}};
  target.node = "n1";
  return target;
}

std::unique_ptr<Stage> remote_stage(LinkPool& links, RemoteTarget target) {
  return std::make_unique<RemoteStage>(
      links, std::move(target),
      std::make_unique<PullClient>(PullClient::Config{{"n1", "server of node n1", {}, "", 7}}));
}

/// Performs pull `id`, in which `after` is the last pull whose view arrived.
View pull_through(Stage& stage, std::uint64_t id, std::uint64_t after, Deadline deadline) {
  Pull pull;
  pull.id = id;
  pull.after = after;
  Operation operation;
  operation.verb = Verb::pull;
  operation.body = &pull;
  operation.deadline = deadline;
  stage.call(operation);
  return std::move(pull.view);
}

class PullTest : public testing::Test {
 protected:
  test::Targets sources() {
    return {
        {"source", pull_kind([this](Bytes, LinkPool&) { return std::make_unique<CountingSource>(mute); })}};
  }

  /// The same as text: "1 2", or "server of node n1: no answer".
  std::string pull(std::uint64_t id, std::uint64_t after, Deadline deadline = Deadline::after(10s)) {
    last = pull_through(*stage, id, after, deadline);
    std::string text;
    for (const TraceTuple& record : last.records) text += std::to_string(record.words[0]) + " ";
    for (const Missing& missing : last.missing) {
      text += missing.what + ": " + std::string(to_string(missing.cause)) + " ";
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  void speak_again() {
    mute = false;
    mute.notify_all();
  }

  std::atomic<bool> mute{false};
  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ElementServer> server{
      std::make_unique<test::ElementServer>(port, NetworkLimits{}, sources())};
  test::Client client;
  std::unique_ptr<Stage> stage{remote_stage(client.links(), source_behind({test::local_endpoint(port)}))};
  View last;
};

TEST_F(PullTest, EachPullYieldsTheNextRecords) {
  EXPECT_EQ(pull(1, 0), "1 2");
  EXPECT_EQ(pull(2, 1), "3 4");
  EXPECT_EQ(pull(3, 2), "5 6");
}

TEST_F(PullTest, RecordsThatDidNotReachTheParentComeAgain) {
  EXPECT_EQ(pull(1, 0), "1 2");
  EXPECT_EQ(pull(2, 0), "1 2");
  EXPECT_EQ(pull(3, 2), "3 4");
  EXPECT_EQ(pull(4, 2), "3 4");
  EXPECT_EQ(pull(5, 4), "5 6");
}

TEST_F(PullTest, RecordsOfALateViewComeAgainAndTheLateViewIsDropped) {
  EXPECT_EQ(pull(1, 0), "1 2");
  mute = true;
  EXPECT_EQ(pull(2, 1, Deadline::after(50ms)), "server of node n1: no answer");
  EXPECT_EQ(last.missing.at(0).node, "n1");
  EXPECT_EQ(last.missing.at(0).sources, 7u);
  speak_again();
  EXPECT_EQ(pull(3, 2), "3 4");
  EXPECT_EQ(pull(4, 3), "5 6");
}

TEST_F(PullTest, AServerStartedAnewBeginsAtItsBeginning) {
  EXPECT_EQ(pull(1, 0), "1 2");
  EXPECT_EQ(pull(2, 1), "3 4");
  server.reset();
  EXPECT_EQ(pull(3, 2, Deadline::after(50ms)), "server of node n1: no answer");
  server = std::make_unique<test::ElementServer>(port, NetworkLimits{}, sources());
  std::uint64_t id = 3;
  EXPECT_TRUE(test::eventually([&] {
    ++id;
    return pull(id, id - 1, Deadline::after(200ms)) == "1 2";
  }));
  EXPECT_EQ(pull(id + 1, id), "3 4");
}

TEST_F(PullTest, AServerThatRefusesIsNamedWithItsReason) {
  RemoteTarget odd = source_behind({test::local_endpoint(port)});
  odd.open.kind = "teapot";
  stage = remote_stage(client.links(), odd);
  EXPECT_EQ(pull(1, 0), "server of node n1: refused");
  EXPECT_NE(last.missing.at(0).detail.find("teapot"), std::string::npos);
}

// No waker is called, and the pull does not have a deadline.
TEST_F(PullTest, AServerLooksAgainAtAStageThatActsByTheClock) {
  const std::uint16_t other_port = test::free_port();
  const TargetFactory delayed = [this](Bytes, LinkPool&) {
    return delay_wrapper().make({{"for", std::chrono::nanoseconds(5ms)}},
                                std::make_unique<CountingSource>(mute));
  };
  test::ElementServer other(other_port, {}, {{"source", pull_kind(delayed)}});
  stage = remote_stage(client.links(), source_behind({test::local_endpoint(other_port)}));
  EXPECT_EQ(pull(1, 0, Deadline::never()), "1 2");
  EXPECT_EQ(pull(2, 1, Deadline::never()), "3 4");
}

class PullThroughGatewayTest : public PullTest {
 protected:
  PullThroughGatewayTest() {
    stage = remote_stage(client.links(),
                         source_behind({test::local_endpoint(gate_port), test::local_endpoint(port)}));
  }
  std::uint16_t gate_port{test::free_port()};
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
};

TEST_F(PullThroughGatewayTest, EachPullYieldsTheNextRecords) {
  EXPECT_EQ(pull(1, 0), "1 2");
  EXPECT_EQ(pull(2, 1), "3 4");
  EXPECT_EQ(pull(3, 1), "3 4");
}

TEST_F(PullThroughGatewayTest, TheServerBehindItIsNamedWhenItDoesNotAnswer) {
  EXPECT_EQ(pull(1, 0), "1 2");
  mute = true;
  EXPECT_EQ(pull(2, 1, Deadline::after(1s)), "server of node n1: no answer");
  EXPECT_EQ(last.missing.at(0).node, "n1");
  EXPECT_EQ(last.missing.at(0).sources, 7u);
  speak_again();
  EXPECT_EQ(pull(3, 2), "3 4");
}

// --- views that come in parts ----------------------------------------------------------------------

/// Yields `records` records after the last view that arrived, and offers them to the pull's sink. It becomes
/// mute after half of them.
class LargeSource final : public Stage {
 public:
  LargeSource(std::size_t records, std::atomic<bool>& mute) : records_(records), mute_(&mute) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation&) override { return true; }
  void finish(Operation& operation) override {
    Pull& pull = pull_of(operation);
    if (pull.after == sent_pull_) committed_ += std::exchange(sent_, 0);
    sent_pull_ = pull.id;
    sent_ = records_;
    for (std::size_t i = 0; i < records_; ++i) {
      if (i == records_ / 2) mute_->wait(true);
      pull.view.records.push_back({{committed_ + i + 1}});
      if (pull.ahead != nullptr && i % RecordsAhead::worth_taking == 0) pull.ahead->offer(pull.view);
    }
    operation.status = Status::ok;
  }

 private:
  std::size_t records_;
  std::atomic<bool>* mute_;
  std::uint64_t committed_{0}, sent_{0}, sent_pull_{0};
};

/// The source on a server behind a gateway.
class LargePullTest : public testing::Test {
 protected:
  static constexpr std::size_t many = 6 * RecordsAhead::worth_taking + 11;

  explicit LargePullTest(NetworkLimits limits = {})
      : server(port, limits, {{"source", pull_kind([this](Bytes, LinkPool&) {
                                 return std::make_unique<LargeSource>(many, mute);
                               })}}) {}
  std::unique_ptr<Stage> stage_over(std::vector<std::string> hops) {
    return remote_stage(client.links(), source_behind(std::move(hops)));
  }
  void pull(Stage& stage, std::uint64_t id, std::uint64_t after, Deadline deadline = Deadline::after(60s)) {
    view = pull_through(stage, id, after, deadline);
  }
  /// Returns whether the view has the records from `first` on, as many as one view holds.
  [[nodiscard]] bool is_whole_from(std::uint64_t first) const {
    if (view.records.size() != many || view.gone_ahead != 0) return false;
    for (std::size_t i = 0; i < many; ++i) {
      if (view.records[i].words[0] != first + i) return false;
    }
    return true;
  }

  std::atomic<bool> mute{false};
  std::uint16_t port{test::free_port()}, gate_port{test::free_port()};
  test::ElementServer server;
  test::ElementServer gateway{gate_port, {}, {}, {test::local_endpoint(port)}};
  test::Client client;
  View view;
};

TEST_F(LargePullTest, TheyArePutTogetherInOrder) {
  const auto stage = stage_over({test::local_endpoint(port)});
  pull(*stage, 1, 0);
  EXPECT_TRUE(is_whole_from(1));
  pull(*stage, 2, 1);
  EXPECT_TRUE(is_whole_from(many + 1));
  EXPECT_EQ(server.report().undeliverable, 0u);
}

/// Sends the server the request of a pull, as a stage would, and returns the id of the request.
std::uint64_t ask_for_pull(Link& link) {
  const std::uint64_t opening = link.next_id();
  EXPECT_TRUE(link.send(opening, wire::encode(opening, wire::OpenRequest{"source", {}, {}}), nullptr));
  const auto opened = link.wait(opening, Deadline::after(60s));
  wire::OperateRequest request;
  request.target = opened ? wire::decode<wire::Opened>(opened->envelope())->target : 0;
  request.verb = Verb::pull;
  request.id = 1;
  const std::uint64_t id = link.next_id();
  Pull pull;
  Operation operation;
  operation.body = &pull;
  wire::Message message = wire::encode(id, request);
  PullClient({}).write_request(operation, message);
  wire::seal(message);
  EXPECT_TRUE(link.send(id, std::move(message), nullptr));
  return id;
}

TEST_F(LargePullTest, TheyAreOnTheirWayWhileTheServerReadsOn) {
  Link& link = client.link(port);
  mute = true;
  const std::uint64_t id = ask_for_pull(link);
  constexpr std::uint64_t two_parts = 2 * RecordsAhead::worth_taking * sizeof(TraceTuple);
  EXPECT_TRUE(test::eventually([&] {
    link.progress();
    return link.counts().bytes_received > two_parts;
  }));
  EXPECT_FALSE(link.poll(id));
  mute = false;
  mute.notify_all();
  const auto reply = link.wait(id, Deadline::after(60s));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->parts.size(), 6u);
  EXPECT_LT(reply->body().size(), 11 * sizeof(TraceTuple) + 200);
}

TEST_F(LargePullTest, AGatewayHandsThemOn) {
  const auto stage = stage_over({test::local_endpoint(gate_port), test::local_endpoint(port)});
  pull(*stage, 1, 0);
  EXPECT_TRUE(is_whole_from(1));
  pull(*stage, 2, 1);
  EXPECT_TRUE(is_whole_from(many + 1));
}

TEST_F(LargePullTest, PartsOfAViewThatIsLateAreDroppedAndComeAgain) {
  for (const auto& hops : {std::vector{test::local_endpoint(port)},
                           std::vector{test::local_endpoint(gate_port), test::local_endpoint(port)}}) {
    const auto stage = stage_over(hops);
    pull(*stage, 1, 0);
    mute = true;
    pull(*stage, 2, 1, Deadline::after(50ms));
    ASSERT_EQ(view.missing.size(), 1u);
    EXPECT_EQ(view.missing[0].cause, MissingCause::no_answer);
    EXPECT_EQ(view.record_count(), 0u);
    mute = false;
    mute.notify_all();
    pull(*stage, 3, 1);
    EXPECT_TRUE(is_whole_from(many + 1)) << hops.size() << " hops";
  }
}

struct SmallMessagesTest : LargePullTest {
  SmallMessagesTest() : LargePullTest(limits()) {}
  static NetworkLimits limits() {
    NetworkLimits limits;
    limits.message_bytes = many * sizeof(TraceTuple);
    return limits;
  }
};

TEST_F(SmallMessagesTest, AViewOfMorePartsThanFitIntoAMessageIsRefusedAsAWhole) {
  const auto stage = stage_over({test::local_endpoint(port)});
  pull(*stage, 1, 0);
  ASSERT_EQ(view.missing.size(), 1u);
  EXPECT_EQ(view.missing[0].cause, MissingCause::refused);
  EXPECT_NE(view.missing[0].detail.find("`limits: message` allows " + std::to_string(limits().message_bytes)),
            std::string::npos)
      << view.missing[0].detail;
  EXPECT_EQ(view.record_count(), 0u);
  EXPECT_EQ(server.refused(wire::Fault::oversized), 1u);
}

}  // namespace
}  // namespace eventspace
