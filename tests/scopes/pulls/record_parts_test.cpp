#include "scopes/pulls/record_parts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include <eventspace/stage.h>
#include "paths/server/open_targets.h"
#include "paths/server/reply_parts.h"
#include "paths/server/target_operations.h"
#include "paths/sockets/loop_socket.h"
#include "paths/sockets/wake_queue.h"
#include "paths/wire/wire.h"
#include "scopes/pulls/pull_bodies.h"

// Which records of a view are sent ahead of its reply, and in which messages.

namespace eventspace {
namespace {

constexpr std::size_t worth = RecordsAhead::worth_taking;
constexpr ReplyParts::Limits roomy{64u << 20, 1000};

/// A view for a request of the peer "monitor", with records numbered from 1.
class RecordPartsTest : public testing::Test {
 protected:
  RecordPartsTest() {
    router.zmq().set(zmq::sockopt::router_mandatory, true);
    router.zmq().bind("inproc://server");
    monitor.set(zmq::sockopt::routing_id, "monitor");
    monitor.connect("inproc://server");
  }

  static std::vector<TraceTuple> numbered(std::uint64_t first, std::size_t count) {
    std::vector<TraceTuple> tuples(count);
    for (TraceTuple& tuple : tuples) tuple.words[0] = first++;
    return tuples;
  }
  static RecordBlock block_of(std::vector<TraceTuple> tuples) {
    const auto kept = std::make_shared<const std::vector<TraceTuple>>(std::move(tuples));
    return {kept, std::as_bytes(std::span(*kept))};
  }
  /// Receives all parts that have arrived and returns the number of records in each. Collects the records in
  /// `came`.
  std::vector<std::size_t> parts() {
    std::vector<std::size_t> sizes;
    zmq::message_t message;
    while (monitor.recv(message, zmq::recv_flags::dontwait)) {
      const Bytes bytes(message.data<std::byte>(), message.size());
      bytes_came += bytes.size();
      const wire::ParsedHeader parsed = wire::parse_header(bytes, bytes.size());
      EXPECT_EQ(parsed.header.kind, wire::Kind::part);
      EXPECT_EQ(parsed.header.id, 5u);
      EXPECT_EQ(static_cast<ByteOrder>(parsed.body[2]), expected_order);
      const auto block = read_record_part({nullptr, parsed.body});
      if (!block) return {};
      View part;
      part.records.append(*block);
      sizes.push_back(part.records.size());
      came.insert(came.end(), part.records.begin(), part.records.end());
    }
    return sizes;
  }
  /// Returns whether the records that arrived, followed by the records of the view, are 1, 2, ... `count`.
  bool is_whole(std::size_t count) {
    came.insert(came.end(), view.records.begin(), view.records.end());
    return came == numbered(1, count);
  }

  zmq::context_t context;
  LoopSocket router{context, zmq::socket_type::router};
  zmq::socket_t monitor{context, zmq::socket_type::dealer};
  ServerCounters counters;
  NodeClock clock;
  Replies replies{router, counters, clock, 64u << 20};
  View view;
  std::vector<TraceTuple> came;
  std::size_t bytes_came{0};
  ByteOrder expected_order{own_byte_order};
};

TEST_F(RecordPartsTest, TooFewRecordsForAPartStay) {
  ReplyParts ahead_parts(replies, "monitor", 5, roomy);
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, worth - 1);
  ahead.offer(view);
  EXPECT_TRUE(parts().empty());
  EXPECT_EQ(view.gone_ahead, 0u);
  EXPECT_EQ(ahead_parts.bytes(), 0u);
  EXPECT_TRUE(is_whole(worth - 1));
}

TEST_F(RecordPartsTest, AllThereIsGoesInPartsThatAreWorthIt) {
  ReplyParts ahead_parts(replies, "monitor", 5, roomy);
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, 3 * worth + 1);
  ahead.offer(view);
  EXPECT_EQ(parts(), (std::vector{worth, worth, worth + 1}));
  EXPECT_EQ(view.gone_ahead, 3 * worth + 1);
  EXPECT_TRUE(view.records.empty());
  EXPECT_EQ(view.record_count(), 3 * worth + 1);
  EXPECT_EQ(ahead_parts.bytes(), bytes_came);
  EXPECT_FALSE(ahead_parts.has_failed());
  EXPECT_TRUE(is_whole(3 * worth + 1));
}

TEST_F(RecordPartsTest, OfferAfterOfferTheOrderIsKept) {
  ReplyParts ahead_parts(replies, "monitor", 5, roomy);
  RecordParts ahead(ahead_parts);
  for (std::size_t i = 0; i < 5; ++i) {
    const auto more = numbered(1 + i * worth / 2, worth / 2);
    view.records.whole().insert(view.records.whole().end(), more.begin(), more.end());
    ahead.offer(view);
  }
  EXPECT_EQ(parts(), (std::vector{worth, worth}));
  EXPECT_EQ(view.records.size(), worth / 2);
  EXPECT_TRUE(is_whole(5 * worth / 2));
}

TEST_F(RecordPartsTest, BlocksAreCutWhereAPartEnds) {
  ReplyParts ahead_parts(replies, "monitor", 5, roomy);
  RecordParts ahead(ahead_parts);
  view.records.append(block_of(numbered(1, 10)));
  view.records.append(block_of(numbered(11, 2 * worth)));
  view.records.append(Records(numbered(2 * worth + 11, 20)));
  ahead.offer(view);
  EXPECT_EQ(parts(), (std::vector{worth + 15, worth + 15}));
  EXPECT_TRUE(view.records.empty());
  EXPECT_TRUE(is_whole(2 * worth + 30));
}

TEST_F(RecordPartsTest, TheyGoInTheByteOrderThatTheViewIsSentIn) {
  ReplyParts ahead_parts(replies, "monitor", 5, roomy);
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, worth);
  view.sent_in = expected_order = own_byte_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  ahead.offer(view);
  EXPECT_EQ(parts(), std::vector{worth});
  EXPECT_TRUE(is_whole(worth));
}

// The reply is then too large, and the server refuses all of it.
TEST_F(RecordPartsTest, MoreBytesThanAMessageMayHaveStayWhereTheyAre) {
  ReplyParts ahead_parts(replies, "monitor", 5, {3 * worth * sizeof(TraceTuple), 1000});
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, 2 * worth);
  ahead.offer(view);
  EXPECT_EQ(parts(), (std::vector{worth, worth}));
  view.records = numbered(2 * worth + 1, worth);
  ahead.offer(view);
  EXPECT_TRUE(parts().empty()) << "with what is around them they are too many";
  EXPECT_TRUE(is_whole(3 * worth));
}

TEST_F(RecordPartsTest, PartsAreNoMoreThanAQuarterOfTheMessagesThatMayWait) {
  ReplyParts ahead_parts(replies, "monitor", 5, {64u << 20, 8});
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, 5 * worth);
  ahead.offer(view);
  EXPECT_EQ(parts(), (std::vector{5 * worth / 2, 5 * worth / 2}));
  view.records = numbered(5 * worth + 1, worth);
  ahead.offer(view);
  EXPECT_TRUE(parts().empty());
  EXPECT_TRUE(is_whole(6 * worth));
}

TEST_F(RecordPartsTest, APartIsNeverLargerThanAMessageMayBe) {
  ReplyParts ahead_parts(replies, "monitor", 5, {worth * sizeof(TraceTuple), 1000});
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, worth);
  ahead.offer(view);
  EXPECT_TRUE(parts().empty());
  ReplyParts roomier_parts(replies, "monitor", 5,
                           {worth * sizeof(TraceTuple) + record_part_overhead(), 1000});
  RecordParts roomier(roomier_parts);
  roomier.offer(view);
  EXPECT_EQ(parts(), std::vector{worth});
}

TEST_F(RecordPartsTest, WhenOneCannotBeSentThatIsKnownAndNoMoreAreSent) {
  ReplyParts ahead_parts(replies, "nobody", 5, roomy);
  RecordParts ahead(ahead_parts);
  view.records = numbered(1, worth);
  ahead.offer(view);
  EXPECT_TRUE(ahead_parts.has_failed());
  view.records = numbered(1, worth);
  ahead.offer(view);
  EXPECT_TRUE(ahead_parts.has_failed());
  EXPECT_EQ(ahead_parts.sent(), 1u) << "the one that failed";
}

/// The body of a pull with default options.
Bytes pull_body() {
  static const wire::Message body = [] {
    Pull pull;
    Operation operation;
    operation.body = &pull;
    wire::Message message;
    PullClient({}).write_request(operation, message);
    return message;
  }();
  return body;
}

/// A stage that yields enough records for a part.
class WorthyStage final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::ok; }
  bool ready(Operation&) override { return true; }
  void finish(Operation& operation) override { pull_of(operation).view.records.whole().resize(worth); }
};

TEST_F(RecordPartsTest, AnIncompleteViewIsRefused) {
  OpenTargets targets(1, 1, std::chrono::minutes(1));
  WakeQueue woken;
  TargetOperations operations(targets, woken, replies, {64u << 20, 1000, std::chrono::seconds(1)});
  OpenTarget target;
  target.peer = "nobody";
  target.kind = pull_kind([](Bytes, LinkPool&) { return std::make_unique<WorthyStage>(); });
  target.stage = std::make_unique<WorthyStage>();
  wire::OperateRequest request;
  request.target = targets.add(std::move(target));
  request.verb = Verb::pull;
  operations.begin({"nobody", 5}, *targets.find("nobody", request.target), request, pull_body());
  EXPECT_TRUE(operations.is_idle());
  EXPECT_EQ(counters.refused[static_cast<std::size_t>(wire::Fault::busy)], 1u);
  EXPECT_EQ(counters.undeliverable, 1u) << "the refusal";
}

}  // namespace
}  // namespace eventspace
