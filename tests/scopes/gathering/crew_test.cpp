#include "scopes/gathering/crew.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <latch>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/scopes/gathering/fake_child.h"

namespace eventspace {
namespace {

/// Lets oneTBB start more threads than the machine has processors, so that the tests run on any machine.
class CrewTest : public testing::Test {
 protected:
  oneapi::tbb::global_control allowed{oneapi::tbb::global_control::max_allowed_parallelism, 4};
};

TEST_F(CrewTest, EachPieceIsDoneOnceAndIsThereAfterwards) {
  Crew crew(3);
  std::vector<int> done(1000);
  for (int round = 1; round <= 20; ++round) {
    crew.run(done.size(), [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(std::count(done.begin(), done.end(), round), 1000);
  }
}

TEST_F(CrewTest, WithoutWorkItReturns) {
  Crew crew(3);
  crew.run(0, [](std::size_t) { FAIL(); });
}

// Three pieces that wait for each other end only if three threads run them.
TEST_F(CrewTest, PiecesAreDoneSideBySide) {
  Crew crew(3);
  std::latch all(3);
  std::array<std::thread::id, 3> who;
  crew.run(3, [&](std::size_t i) {
    all.arrive_and_wait();
    who.at(i) = std::this_thread::get_id();
  });
  EXPECT_EQ(std::set<std::thread::id>(who.begin(), who.end()).size(), 3u);
  EXPECT_EQ(std::count(who.begin(), who.end(), std::this_thread::get_id()), 1);
}

TEST_F(CrewTest, TheOtherThreadsBlockSignals) {
  Crew crew(3);
  std::latch all(3);
  std::array<bool, 3> blocks{};
  crew.run(3, [&](std::size_t i) {
    all.arrive_and_wait();
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    blocks.at(i) = ::sigismember(&mask, SIGUSR1) == 1 && ::sigismember(&mask, SIGALRM) == 1;
  });
  EXPECT_EQ(std::count(blocks.begin(), blocks.end(), true), 2);
}

TEST_F(CrewTest, ACrewOfOneIsTheCaller) {
  Crew crew(1);
  std::set<std::thread::id> who;
  crew.run(10, [&](std::size_t) { who.insert(std::this_thread::get_id()); });
  EXPECT_EQ(who, std::set{std::this_thread::get_id()});
}

TEST_F(CrewTest, TheCallerGetsTheExceptionOfAPiece) {
  Crew crew(2);
  EXPECT_THROW(crew.run(5,
                        [](std::size_t i) {
                          if (i == 3) throw std::runtime_error("no");
                        }),
               std::runtime_error);
}

/// A child that waits in finish for the other children of this type.
class MeetingChild final : public Stage {
 public:
  MeetingChild(std::latch& all, std::uint64_t record) : all_(&all), record_(record) {}
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override {
    all_->arrive_and_wait();
    pull_of(operation).view.records.push_back(test::event(record_, 1, 2));
    operation.status = Status::ok;
  }

 private:
  std::latch* all_;
  std::uint64_t record_;
};

TEST_F(CrewTest, LocalChildrenOfACombiningStageAreFinishedSideBySideAndInOrder) {
  std::latch all(3);
  test::ChildStory elsewhere;
  elsewhere.record = 3;
  std::vector<CombineStage::Child> children(4);
  for (const std::size_t i : {0, 1, 3}) {
    children[i].stage = std::make_unique<MeetingChild>(all, i + 1);
    children[i].is_local = true;
  }
  children[2].stage = std::make_unique<test::FakeChild>(elsewhere);
  CombineStage stage({.asking = Asking::threads, .threads = 3}, std::move(children), {});
  Pull pull;
  Operation operation;
  operation.verb = Verb::pull;
  operation.body = &pull;
  stage.call(operation);
  EXPECT_EQ(test::told(pull.view), "1 2 3 4");
}

}  // namespace
}  // namespace eventspace
