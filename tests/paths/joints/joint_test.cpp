#include "paths/joints/joint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <stdexcept>
#include <thread>

#include <eventspace/path.h>
#include <eventspace/stage.h>

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

Tuple number(std::int64_t value) { return Tuple::of({value}); }

JointConfig sum_of(std::size_t children) {
  JointConfig config;
  config.name = "sum";
  config.kind = CollectiveKind::all_reduce;
  config.signature = {FieldType::integer};
  config.combine = {CombineRegistry::instance().find("sum")};
  config.participants = children;
  for (std::uint32_t i = 0; i < children; ++i)
    config.children.push_back({"t" + std::to_string(i), false, {i}});
  return config;
}

Operation exchange_of(Tuple tuple, Deadline deadline = Deadline::never()) {
  Operation operation;
  operation.verb = Verb::exchange;
  operation.tuple = std::move(tuple);
  operation.deadline = deadline;
  return operation;
}

Path path_to(Joint& joint, std::size_t child) { return {"sum", std::make_unique<JointStage>(joint, child)}; }

/// Counts the calls of wake().
struct CountingWaker final : Waker {
  void wake() noexcept override { ++woken; }
  std::atomic<int> woken{0};
};

// --- one joint, all together ---------------------------------------------------------------------------

TEST(JointTest, NoChildHasAResultBeforeAllHaveContributed) {
  Joint joint(sum_of(3));
  std::array<Operation, 3> operations{exchange_of(number(1)), exchange_of(number(20)),
                                      exchange_of(number(300))};
  for (const std::size_t child : {2, 0}) {
    joint.begin(child, operations[child]);
    EXPECT_FALSE(joint.ready(child, operations[child]));
  }
  joint.begin(1, operations[1]);
  for (std::size_t child = 0; child < 3; ++child) {
    EXPECT_TRUE(joint.ready(child, operations[child]));
    EXPECT_EQ(operations[child].status, Status::ok);
    EXPECT_EQ(operations[child].tuple, number(321));
    EXPECT_EQ(operations[child].sequence, 1u);
  }
}

TEST(JointTest, OperationsAreNumbered) {
  Joint joint(sum_of(1));
  Path path = path_to(joint, 0);
  for (std::uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(path.exchange(number(0)).sequence, i);
}

TEST(JointTest, CallsTheWakersOfWaitingChildren) {
  Joint joint(sum_of(2));
  CountingWaker waker;
  Operation first = exchange_of(number(1));
  first.waker = &waker;
  joint.begin(0, first);
  EXPECT_FALSE(joint.ready(0, first));
  EXPECT_EQ(waker.woken, 0);
  Path second = path_to(joint, 1);
  EXPECT_EQ(second.exchange(number(2)).status, Status::ok);
  EXPECT_EQ(waker.woken, 1);
  EXPECT_TRUE(joint.ready(0, first));
  EXPECT_EQ(first.tuple, number(3));
}

TEST(JointTest, RefusesVerbsOtherThanExchange) {
  Joint joint(sum_of(2));
  Path path = path_to(joint, 0);
  const Received received = path.read();
  EXPECT_EQ(received.status, Status::refused);
  EXPECT_EQ(received.reason, "joint sum accepts only exchanges; found a read");
  EXPECT_EQ(path.exchange(number(1), Deadline::now()).status, Status::timed_out) << "it was not broken";
}

// --- broken --------------------------------------------------------------------------------------------

TEST(JointTest, AChildThatGivesUpTimesOutAndTheOthersAreClosed) {
  Joint joint(sum_of(3));
  Operation waiting = exchange_of(number(1));
  joint.begin(0, waiting);
  Path second = path_to(joint, 1);
  const Received gave_up = second.exchange(number(2), Deadline::after(20ms));
  EXPECT_EQ(gave_up.status, Status::timed_out);
  EXPECT_TRUE(joint.ready(0, waiting));
  EXPECT_EQ(waiting.status, Status::closed);
  EXPECT_THAT(waiting.reason,
              ContainsRegex("^t1 gave up after [0-9.]+ s at operation 1; still missing: t2$"));
  Path third = path_to(joint, 2);
  const Received late = third.exchange(number(3));
  EXPECT_EQ(late.status, Status::closed);
  EXPECT_EQ(late.reason, waiting.reason);
  EXPECT_EQ(second.exchange(number(2)).status, Status::closed);
}

TEST(JointTest, AContributionThatIsRefusedBreaksIt) {
  Joint joint(sum_of(2));
  Operation waiting = exchange_of(number(1));
  joint.begin(0, waiting);
  Path second = path_to(joint, 1);
  const Received refused = second.exchange(Tuple::of({"one"}));
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_EQ(refused.reason, "found (text); expected (int)");
  EXPECT_TRUE(joint.ready(0, waiting));
  EXPECT_EQ(waiting.status, Status::closed);
  EXPECT_EQ(waiting.reason,
            "the contribution of t1 to operation 1 was refused: found (text); expected (int)");
}

TEST(JointTest, AMemberThatLeavesBreaksIt) {
  Joint joint(sum_of(3));
  std::array<Operation, 3> operations{exchange_of(number(1)), exchange_of(number(2)), exchange_of(number(3))};
  for (std::size_t child = 0; child < 3; ++child) joint.begin(child, operations[child]);
  for (std::size_t child = 0; child < 3; ++child) joint.finish(child, operations[child]);
  joint.begin(0, operations[0]);
  joint.leave(2);
  EXPECT_TRUE(joint.ready(0, operations[0]));
  EXPECT_EQ(operations[0].status, Status::closed);
  EXPECT_EQ(operations[0].reason, "t2 has left or was lost at operation 2; still missing: t1, t2");
}

TEST(JointTest, LeavingBeforeAContributionDoesNotBreakIt) {
  Joint joint(sum_of(2));
  { const Path path = path_to(joint, 1); }
  Operation waiting = exchange_of(number(1));
  joint.begin(0, waiting);
  Path again = path_to(joint, 1);
  EXPECT_EQ(again.exchange(number(2)).status, Status::ok);
  EXPECT_TRUE(joint.ready(0, waiting));
  EXPECT_EQ(waiting.status, Status::ok);
}

TEST(JointTest, ResultsHandedDownBeforeABreakStay) {
  Joint joint(sum_of(2));
  Operation waiting = exchange_of(number(1));
  joint.begin(0, waiting);
  {
    Path second = path_to(joint, 1);
    EXPECT_EQ(second.exchange(number(2)).status, Status::ok);
  }  // leaves
  EXPECT_TRUE(joint.ready(0, waiting));
  EXPECT_EQ(waiting.status, Status::ok);
  EXPECT_EQ(waiting.tuple, number(3));
}

TEST(JointTest, BeginsAnewWhenAllHaveLeft) {
  Joint joint(sum_of(2));
  for (int run = 0; run < 3; ++run) {
    Operation waiting = exchange_of(number(1));
    joint.begin(0, waiting);
    {
      Path second = path_to(joint, 1);
      EXPECT_EQ(second.exchange(number(2)).sequence, 1u);
      joint.finish(0, waiting);
      EXPECT_EQ(second.exchange(number(2), Deadline::now()).status, Status::timed_out);
    }
    joint.begin(0, waiting);
    EXPECT_EQ(waiting.status, Status::closed) << "the first is still there";
    joint.leave(0);
  }
}

TEST(JointTest, CloseEndsWaitingAndLaterExchanges) {
  Joint joint(sum_of(2));
  std::thread waiting([&joint] {
    Path path = path_to(joint, 0);
    EXPECT_EQ(path.exchange(number(1)).status, Status::closed);
  });
  std::this_thread::yield();
  joint.close();
  waiting.join();
  Path path = path_to(joint, 1);
  EXPECT_EQ(path.exchange(number(1)).reason, "the session was closed");
}

TEST(JointTest, AResultTooLargeForOneChildBreaksIt) {
  Joint joint(sum_of(2));
  Operation small = exchange_of(number(1));
  small.max_bytes = 3;
  joint.begin(0, small);
  Path second = path_to(joint, 1);
  const Received received = second.exchange(number(1LL << 60));
  EXPECT_EQ(received.status, Status::closed);
  EXPECT_THAT(received.reason, HasSubstr("the result of operation 1 for t0 has 10 bytes"));
}

TEST(JointTest, AFailureToCombineBreaksIt) {
  const CombineInfo thrower{"thrower", "", {FieldType::integer}, [](const Field&, const Field&) -> Field {
                              throw std::runtime_error("no way");
                            }};
  JointConfig config = sum_of(2);
  config.combine = {&thrower};
  Joint joint(config);
  Operation waiting = exchange_of(number(1));
  joint.begin(0, waiting);
  Path second = path_to(joint, 1);
  EXPECT_EQ(second.exchange(number(2)).reason,
            "operation 1: joint sum failed to join the contributions: no way");
}

// --- joints below joints -------------------------------------------------------------------------------

/// "sum/a" with t0 and t1, and "sum/b" with t2 and t3, below "sum".
struct TwoLevels {
  TwoLevels() {
    JointConfig top = sum_of(2);
    top.participants = 4;
    top.children = {{"sum/a", true, {0, 1}}, {"sum/b", true, {2, 3}}};
    root = std::make_unique<Joint>(top);
    for (std::size_t i = 0; i < 2; ++i) {
      JointConfig config = sum_of(2);
      config.name = i == 0 ? "sum/a" : "sum/b";
      config.participants = 4;
      for (std::uint32_t k = 0; k < 2; ++k) {
        const auto participant = static_cast<std::uint32_t>(2 * i + k);
        config.children[k] = {"t" + std::to_string(participant), false, {participant}};
      }
      Uplink uplink;
      uplink.make = [this, i] { return std::make_unique<JointStage>(*root, i); };
      below[i] = std::make_unique<Joint>(config, uplink);
    }
  }
  ~TwoLevels() { below = {}; }

  Path path(std::size_t participant) { return path_to(*below[participant / 2], participant % 2); }

  std::unique_ptr<Joint> root;
  std::array<std::unique_ptr<Joint>, 2> below;
};

TEST(JointTest, AJointPassesTheJoinedTupleUp) {
  TwoLevels levels;
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&levels, i] {
      Path path = levels.path(static_cast<std::size_t>(i));
      for (std::uint64_t round = 1; round <= 200; ++round) {
        const Received received = path.exchange(number(i + static_cast<std::int64_t>(round)));
        ASSERT_EQ(received.status, Status::ok) << received.reason;
        EXPECT_EQ(received.tuple, number(6 + 4 * static_cast<std::int64_t>(round)));
        EXPECT_EQ(received.sequence, round);
      }
    });
  }
}

TEST(JointTest, OneThreadCanHaveAllExchangesUnderWay) {
  TwoLevels levels;
  std::array<Operation, 4> operations;
  std::vector<std::unique_ptr<JointStage>> stages;
  for (std::size_t i = 0; i < 4; ++i) {
    operations[i] = exchange_of(number(1));
    stages.push_back(std::make_unique<JointStage>(*levels.below[i / 2], i % 2));
    stages[i]->begin(operations[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    while (!stages[i]->ready(operations[i])) {
    }
    EXPECT_EQ(operations[i].tuple, number(4));
  }
}

TEST(JointTest, GivingUpBelowEndsTheExchangesAtAllJoints) {
  TwoLevels levels;
  std::string reason;
  Path gives_up = levels.path(0);  // stays a member, or a new collective could begin without it
  {
    std::jthread far([&] {
      Path path = levels.path(3);
      const Received received = path.exchange(number(1));
      EXPECT_EQ(received.status, Status::closed);
      reason = received.reason;
    });
    std::jthread beside([&] {
      Path path = levels.path(2);
      EXPECT_EQ(path.exchange(number(1)).status, Status::closed);
    });
    EXPECT_EQ(gives_up.exchange(number(1), Deadline::after(50ms)).status, Status::timed_out);
  }
  EXPECT_THAT(reason, ContainsRegex("^t0 gave up after [0-9.]+ s at operation 1; still missing: t1$"));
}

TEST(JointTest, AnExchangeTimesOutWhileContributionsAreMissingAbove) {
  TwoLevels levels;
  std::jthread beside([&] {
    Path path = levels.path(1);
    const Received received = path.exchange(number(1), Deadline::after(1s));
    EXPECT_EQ(received.status, Status::timed_out);
    EXPECT_THAT(received.reason, HasSubstr("still missing: sum/b"));
  });
  Path path = levels.path(0);
  const Received received = path.exchange(number(1));
  EXPECT_EQ(received.status, Status::closed);
  EXPECT_THAT(received.reason, HasSubstr("sum/a gave up after"));
}

// --- a path up that fails ------------------------------------------------------------------------------

/// Represents the joint above, and throws in one of its calls.
class FaultyWayUp final : public Stage {
 public:
  explicit FaultyWayUp(const std::string& throws_in) : throws_in_(&throws_in) {}
  void begin(Operation& operation) override {
    operation.status = Status::under_way;
    ++operation.sequence;
    throw_if("begin");
  }
  bool ready(Operation& /*operation*/) override {
    throw_if("ready");
    return true;
  }
  void finish(Operation& operation) override {
    throw_if("finish");
    operation.status = Status::ok;
  }

 private:
  void throw_if(const std::string& here) const {
    if (*throws_in_ == here) throw std::runtime_error("no way in " + here);
  }
  const std::string* throws_in_;
};

TEST(JointTest, AnExceptionOnTheWayUpBreaksItAndTheNextCollectiveWorks) {
  std::string throws_in;
  Uplink uplink;
  uplink.make = [&] { return std::make_unique<FaultyWayUp>(throws_in); };
  Joint joint(sum_of(2), uplink);
  for (const std::string call : {"begin", "ready", "finish"}) {
    throws_in = call;
    std::array operations{exchange_of(number(1)), exchange_of(number(2))};
    for (std::size_t child : {0, 1}) joint.begin(child, operations[child]);
    for (std::size_t child : {0, 1}) {
      ASSERT_TRUE(joint.ready(child, operations[child])) << call;
      EXPECT_EQ(operations[child].status, Status::closed) << call;
      EXPECT_THAT(operations[child].reason, HasSubstr("no way in " + call));
    }
    for (std::size_t child : {0, 1}) joint.leave(child);
    throws_in = "";
    for (std::size_t child : {0, 1}) joint.begin(child, operations[child]);
    for (std::size_t child : {0, 1}) {
      ASSERT_TRUE(joint.ready(child, operations[child])) << call;
      EXPECT_EQ(operations[child].status, Status::ok) << operations[child].reason;
    }
    for (std::size_t child : {0, 1}) joint.leave(child);
  }
}

TEST(JointTest, AThreadThatWaitsOnTheWayUpHearsOfTheException) {
  const std::string throws_in = "finish";
  Uplink uplink;
  uplink.make = [&] { return std::make_unique<FaultyWayUp>(throws_in); };
  Joint joint(sum_of(1), uplink);
  Path path = path_to(joint, 0);
  EXPECT_THAT(path.exchange(number(1)).reason,
              "operation 1: joint sum failed to reach the joint above: no way in finish");
}

// --- under stress --------------------------------------------------------------------------------------

TEST(JointTest, ManyThreadsManyRoundsInAnyOrder) {
  constexpr std::size_t threads = 8;
  constexpr std::uint64_t rounds = 2000;
  Joint joint(sum_of(threads));
  std::vector<std::jthread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&joint, t] {
      Path path = path_to(joint, t);
      for (std::uint64_t round = 1; round <= rounds; ++round) {
        if ((round * 31 + t * 17) % 11 == 0) std::this_thread::yield();
        const Received received = path.exchange(number(static_cast<std::int64_t>(round * t)));
        ASSERT_EQ(received.status, Status::ok) << received.reason;
        ASSERT_EQ(received.sequence, round);
        ASSERT_EQ(received.tuple, number(static_cast<std::int64_t>(round * threads * (threads - 1) / 2)));
      }
    });
  }
}

// In each round another thread leaves or is refused while the others wait; then all threads start over.
TEST(JointTest, IsBrokenAndBeginsAnewUnderStress) {
  constexpr std::size_t threads = 4;
  Joint joint(sum_of(threads));
  std::barrier together(threads);
  std::vector<std::jthread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      for (std::size_t round = 0; round < 200; ++round) {
        {
          Path path = path_to(joint, t);
          ASSERT_EQ(path.exchange(number(1)).tuple, number(threads));
          together.arrive_and_wait();
          const bool leaves = round % threads == t;
          if (!leaves) {
            EXPECT_EQ(path.exchange(number(1)).status, Status::closed);
          } else if (round % 2 == 0) {
            EXPECT_EQ(path.exchange(Tuple::of({"one"})).status, Status::refused);
          }
        }
        together.arrive_and_wait();
      }
    });
  }
}

}  // namespace
}  // namespace eventspace
