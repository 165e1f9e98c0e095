#include "paths/remote/lookout_stage.h"

#include <gtest/gtest.h>

#include <future>

#include "paths/element_stage.h"
#include "tests/paths/server_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::number;

/// An element, and a look-out on a process that is alive until the test declares it lost.
class LookoutStageTest : public testing::Test {
 protected:
  LookoutStageTest() { EXPECT_TRUE(client.ask(port, 1, wire::encode(wire::Kind::ping, 1))); }

  void begin(Verb verb, Deadline deadline = Deadline::never()) {
    operation.verb = verb;
    operation.deadline = deadline;
    if (verb == Verb::write) operation.tuple = number(99);
    stage.begin(operation);
  }
  void write_here(std::int64_t value) {
    Operation write;
    write.tuple = number(value);
    element.perform(write);
    ASSERT_EQ(write.status, Status::ok);
  }
  /// Finishes the operation in a thread; returns whether that ends by itself.
  bool ends(const std::function<void()>& meanwhile) {
    auto done = std::async(std::launch::async, [this] { stage.finish(operation); });
    meanwhile();
    const bool in_time = done.wait_for(60s) == std::future_status::ready;
    if (!in_time) element.close();
    return in_time;
  }

  std::uint16_t port{test::free_port()};
  std::unique_ptr<test::ElementServer> peer{std::make_unique<test::ElementServer>(port)};
  test::Client client{{}, WhenLost::end};
  Element element{{"channel", {FieldType::integer}, 1}};
  LookoutStage stage{std::make_unique<ElementStage>(element),
                     std::make_unique<LinkLookout>(client.link(port), "process p1")};
  Operation operation;
};

TEST_F(LookoutStageTest, AWaitEndsWithATuple) {
  begin(Verb::take);
  EXPECT_FALSE(stage.ready(operation));
  EXPECT_TRUE(ends([this] { write_here(7); }));
  EXPECT_EQ(operation.status, Status::ok);
  EXPECT_EQ(operation.tuple, number(7));
}

TEST_F(LookoutStageTest, AWaitEndsAtItsDeadline) {
  begin(Verb::take, Deadline::after(500ms));  // long enough for several checks
  EXPECT_TRUE(ends([] {}));
  EXPECT_EQ(operation.status, Status::timed_out);
  begin(Verb::take, Deadline::now());
  EXPECT_TRUE(ends([] {}));
  EXPECT_EQ(operation.status, Status::empty);
}

TEST_F(LookoutStageTest, AFetchEndsWhenThePeerIsLost) {
  begin(Verb::take);
  EXPECT_TRUE(ends([this] { peer.reset(); }));
  EXPECT_EQ(operation.status, Status::closed);
  EXPECT_EQ(operation.reason,
            "the connection to " + test::local_endpoint(port) + " (on the way to process p1) was lost");
}

TEST_F(LookoutStageTest, AWriteThatWaitsForRoomEndsWhenThePeerIsLost) {
  write_here(1);
  begin(Verb::write);
  EXPECT_TRUE(ends([this] { peer.reset(); }));
  EXPECT_EQ(operation.status, Status::closed);
}

TEST_F(LookoutStageTest, TuplesOfTheLostPeerAreTakenFirst) {
  write_here(1);
  peer.reset();
  ASSERT_TRUE(test::eventually([this] {
    client.link(port).progress();
    return client.link(port).has_ended();
  }));
  begin(Verb::take);
  EXPECT_TRUE(stage.ready(operation));
  EXPECT_TRUE(ends([] {}));
  EXPECT_EQ(operation.status, Status::ok);
  begin(Verb::take);
  EXPECT_TRUE(stage.ready(operation));
  EXPECT_TRUE(ends([] {}));
  EXPECT_EQ(operation.status, Status::closed);
}

TEST_F(LookoutStageTest, APeerThatHasNotStartedIsWaitedFor) {
  Link& nowhere = client.link(test::free_port());
  LookoutStage waiting(std::make_unique<ElementStage>(element),
                       std::make_unique<LinkLookout>(nowhere, "process p2"));
  Operation take;
  take.verb = Verb::take;
  take.deadline = Deadline::after(500ms);
  waiting.call(take);
  EXPECT_EQ(take.status, Status::timed_out);
}

}  // namespace
}  // namespace eventspace
