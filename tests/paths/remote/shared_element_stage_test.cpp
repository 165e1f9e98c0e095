#include "paths/remote/shared_element_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <eventspace/path.h>
#include <eventspace/stage.h>
#include "paths/remote/lookout_stage.h"
#include "tests/tuplespace/shared/shared_element_talk.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::patient;
using testing::HasSubstr;

/// Process p1 with a path to element "box" of p0, which is a child process.
class SharedElementStageTest : public testing::Test {
 protected:
  [[nodiscard]] SharedSpace::Config config(std::uint64_t fingerprint = 0xfeed) const {
    return {"wind", "n1", fingerprint, directory.path()};
  }
  /// p0, which takes tuples from "box" and writes them to "answers".
  test::Child home(std::uint64_t fingerprint = 0xfeed) {
    return test::Child([config = config(fingerprint)] {
      SharedSpace at_home(config);
      at_home.host("p0", {{{"box", {FieldType::integer}, 3}}, {{"answers", {FieldType::integer}, 3}}});
      SharedElement& box = *at_home.find("p0", "box").element;
      SharedElement& answers = *at_home.find("p0", "answers").element;
      while (true) {
        const Operation taken = test::performed(box, test::fetch_of(Verb::take, From::oldest, 0, patient));
        test::performed(answers, test::write_of(taken.tuple, patient));
      }
    });
  }
  [[nodiscard]] Path path_to(const std::string& element) {
    return {element, std::make_unique<SharedElementStage>(space, "p0", element)};
  }
  static std::string told(const Received& received) {
    if (!received) return std::string(to_string(received.status));
    return std::to_string(received.tuple.get<std::int64_t>(0));
  }

  test::TemporaryDirectory directory;
  SharedSpace space{config()};
};

TEST_F(SharedElementStageTest, ATupleWrittenHereIsTakenThere) {
  const test::Child child = home();
  Path box = path_to("box");
  Path answers = path_to("answers");
  for (std::int64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(box.write(test::one(i), patient), Status::ok);
    ASSERT_EQ(told(answers.take(From::oldest, patient)), std::to_string(i));
  }
}

TEST_F(SharedElementStageTest, AProcessThatStartsLateIsWaitedFor) {
  Path answers = path_to("answers");
  const Received nothing = answers.take(From::oldest, Deadline::after(30ms));
  EXPECT_EQ(nothing.status, Status::timed_out);
  EXPECT_THAT(nothing.reason, HasSubstr("process p0 of session 'wind' has no element file in"));
  EXPECT_EQ(told(answers.take(From::oldest, Deadline::now())), "timed out");
  const test::SharedMemory<std::atomic<bool>> come;
  const test::Child child([&come, this] {
    test::comes_true([&come] { return come->load(); });
    SharedSpace late(config());
    late.host("p0", {{{"answers", {FieldType::integer}, 3}}});
    test::perform(*late.find("p0", "answers").element, test::write_of(test::one(7)));
    while (true) ::pause();
  });
  std::thread waiting([&answers] { EXPECT_EQ(told(answers.take(From::oldest, patient)), "7"); });
  *come = true;
  waiting.join();
}

TEST_F(SharedElementStageTest, AnOperationAfterAKillFindsTheRestartedProcess) {
  test::Child first = home();
  Path box = path_to("box");
  Path answers = path_to("answers");
  ASSERT_EQ(box.write(test::one(1), patient), Status::ok);
  ASSERT_EQ(told(answers.take(From::oldest, patient)), "1");
  first.kill();
  const Received closed = answers.take(From::oldest, patient);
  EXPECT_EQ(closed.status, Status::closed);
  EXPECT_THAT(closed.reason, HasSubstr("which hosts element 'answers', is gone"));
  const test::Child second = home();
  // A path that was idle notices the death at its next operation.
  EXPECT_EQ(box.write(test::one(2), patient), Status::closed);
  EXPECT_EQ(box.write(test::one(2), patient), Status::ok);
  EXPECT_EQ(told(answers.take(From::oldest, patient)), "2");
}

TEST_F(SharedElementStageTest, AFileOfAnotherPathmapIsRefused) {
  const test::Child child = home(0xbad);
  const Received refused = path_to("box").take(From::oldest, patient);
  EXPECT_EQ(refused.status, Status::refused);
  EXPECT_THAT(refused.reason, HasSubstr("was made from another pathmap"));
}

TEST_F(SharedElementStageTest, ClosingEndsTheWaitForAProcessThatDoesNotStart) {
  Path box = path_to("box");
  std::thread waiting([&box] {
    const Received closed = box.take(From::oldest, patient);
    EXPECT_EQ(closed.status, Status::closed);
    EXPECT_EQ(closed.reason, "the session was closed");
  });
  space.close();
  waiting.join();
}

TEST_F(SharedElementStageTest, WithWhenLostEndNoOperationWaitsForARestart) {
  test::Child first = home();
  Path answers{"answers", std::make_unique<SharedElementStage>(space, "p0", "answers", WhenLost::end)};
  ASSERT_EQ(told(answers.take(From::oldest, Deadline::after(10ms))), "timed out");
  ASSERT_EQ(path_to("answers").write(test::one(1), patient), Status::ok);
  ASSERT_EQ(told(answers.take(From::oldest, patient)), "1");
  first.kill();
  EXPECT_EQ(answers.take(From::oldest, patient).status, Status::closed);
  const test::Child second = home();
  EXPECT_EQ(answers.take(From::oldest, patient).status, Status::closed);
}

// --- a look-out on the process at the other end of an own element ------------------------------------------

class SharedLookoutTest : public SharedElementStageTest {
 protected:
  SharedLookoutTest() { space.host("p1", {{{"own", {FieldType::integer}, 3}}}); }
  Path own() {
    return {"own", std::make_unique<LookoutStage>(
                       std::make_unique<SharedElementStage>(space, "p1", "own", WhenLost::end),
                       std::make_unique<SharedLookout>(space, "p0"))};
  }
};

TEST_F(SharedLookoutTest, AWaitEndsWhenTheProcessIsKilledAndItsTuplesAreTakenFirst) {
  test::Child child = home();
  ASSERT_TRUE(test::comes_true([this] { return space.find_process("p0") != nullptr; }));
  Path path = own();
  ASSERT_EQ(path.write(test::one(1), patient), Status::ok);
  child.kill();
  EXPECT_EQ(told(path.take(From::oldest, patient)), "1");
  const Received closed = path.take(From::oldest, patient);
  EXPECT_EQ(closed.status, Status::closed);
  EXPECT_THAT(closed.reason,
              testing::MatchesRegex("process p0 \\(pid [0-9]+\\), at the other end of the path, has ended"));
}

TEST_F(SharedLookoutTest, AProcessThatHasNotStartedIsWaitedFor) {
  EXPECT_EQ(told(own().take(From::oldest, Deadline::after(300ms))), "timed out");  // after several checks
}

// --- two phases --------------------------------------------------------------------------------------------

class Flag final : public Waker {
 public:
  void wake() noexcept override { raised = true; }
  std::atomic<bool> raised{false};
};

TEST_F(SharedElementStageTest, AnOperationThatIsNotReadyCallsItsWakerOnce) {
  const test::Child child = home();
  Path box = path_to("box");
  Path answers = path_to("answers");
  ASSERT_EQ(box.write(test::one(1), patient), Status::ok);
  ASSERT_EQ(told(answers.take(From::oldest, patient)), "1");
  Flag flag;
  Operation take = test::fetch_of(Verb::take, From::oldest, 0, patient);
  take.waker = &flag;
  answers.stage().begin(take);
  EXPECT_FALSE(answers.stage().ready(take));
  ASSERT_EQ(box.write(test::one(2), patient), Status::ok);
  ASSERT_TRUE(test::comes_true([&] {
    return flag.raised.exchange(false) && answers.stage().ready(take);  // polls only after a wake-up
  }));
  answers.stage().finish(take);
  EXPECT_EQ(test::summary(take), "#2 = 2");
}

TEST_F(SharedElementStageTest, ReadyDoesNotWaitForAProcessThatHasNotStarted) {
  Path box = path_to("box");
  Operation write = test::write_of(test::one(1), Deadline::after(20ms));
  box.stage().begin(write);
  EXPECT_FALSE(box.stage().ready(write));
  box.stage().finish(write);
  EXPECT_EQ(write.status, Status::timed_out);
}

}  // namespace
}  // namespace eventspace
