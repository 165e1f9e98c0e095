#include <gtest/gtest.h>

#include "tests/tuplespace/element_talk.h"

namespace eventspace {
namespace {

class CountingWaker final : public Waker {
 public:
  void wake() noexcept override { ++wakes; }
  int wakes{0};
};

class WakerTest : public testing::Test {
 protected:
  std::string attempt(Operation operation, Waker* with = nullptr) {
    operation.waker = with;
    element.attempt(operation);
    return test::summary(operation);
  }
  std::string attempt_take(Waker* with = nullptr) { return attempt(test::fetch_of(Verb::take), with); }
  std::string attempt_write(Waker* with = nullptr) { return attempt(test::write_of(test::one(1)), with); }

  Element element{{"channel", {FieldType::integer}, 1}};
  CountingWaker waker;
  CountingWaker other;
};

TEST_F(WakerTest, WithoutAWakerTheOperationIsJustUnderWay) {
  EXPECT_EQ(attempt_take(), "under way");
  EXPECT_EQ(attempt_write(), "#1");
  EXPECT_EQ(attempt_write(), "under way");
  EXPECT_EQ(attempt_take(), "#1 = 1");
}

TEST_F(WakerTest, WriteWakesAnOperationThatFoundItEmptyOnce) {
  EXPECT_EQ(attempt_take(&waker), "under way");
  EXPECT_EQ(attempt_take(&waker), "under way");
  attempt_write();
  EXPECT_EQ(waker.wakes, 1);
  attempt_take();
  attempt_write();
  EXPECT_EQ(waker.wakes, 1);
}

TEST_F(WakerTest, RoomWakesAnOperationThatFoundItFull) {
  attempt_write();
  EXPECT_EQ(attempt_write(&waker), "under way");
  EXPECT_EQ(attempt(test::fetch_of(Verb::read), &other), "#1 = 1");
  EXPECT_EQ(waker.wakes, 0);
  attempt_take();
  EXPECT_EQ(waker.wakes, 1);
  EXPECT_EQ(attempt_write(&waker), "#2");
}

TEST_F(WakerTest, DiscardMakesRoomToo) {
  attempt_write();
  attempt_write(&waker);
  attempt(test::discard_through(1));
  EXPECT_EQ(waker.wakes, 1);
}

TEST_F(WakerTest, AllWaitingAreWokenSinceAnyMayHaveLostInterest) {
  attempt_take(&waker);
  attempt_take(&other);
  attempt_write();
  EXPECT_EQ(waker.wakes, 1);
  EXPECT_EQ(other.wakes, 1);
}

TEST_F(WakerTest, ForgottenIsNotWoken) {
  attempt_take(&waker);
  attempt_take(&other);
  element.forget(waker);
  element.forget(waker);
  attempt_write();
  EXPECT_EQ(waker.wakes, 0);
  EXPECT_EQ(other.wakes, 1);
}

TEST_F(WakerTest, FinishedAtOnceIsNotRegistered) {
  attempt_write(&waker);
  attempt_take(&waker);
  attempt_write();
  EXPECT_EQ(waker.wakes, 0);
}

TEST_F(WakerTest, ClosingWakes) {
  attempt_take(&waker);
  element.close();
  EXPECT_EQ(waker.wakes, 1);
  EXPECT_EQ(attempt_take(&waker), "closed");
}

TEST_F(WakerTest, DeadlineIsNotLookedAt) {
  Operation operation =
      test::fetch_of(Verb::take, From::oldest, 0, Deadline::after(std::chrono::seconds(-1)));
  EXPECT_EQ(attempt(operation, &waker), "under way");
}

}  // namespace
}  // namespace eventspace
