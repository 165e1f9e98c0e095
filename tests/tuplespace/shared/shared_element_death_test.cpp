// Shared elements whose users are killed or stopped.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <array>
#include <iostream>
#include <random>
#include <thread>

#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/shared/signal_watch.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using test::patient;

class SharedElementDeathTest : public test::SharedElementTest {
 protected:
  void SetUp() override { std::cout << "seed " << seed << '\n'; }

  /// Returns a child that holds the element's lock for good.
  test::Child holder() {
    const test::SharedMemory<std::atomic<bool>> held;
    test::Child child([&held, path = file->view().path()] {
      test::ElementMemory memory(path);
      *held = memory.head().control.lock.lock(patient) == RobustLock::Outcome::locked;
      while (true) ::pause();
    });
    EXPECT_TRUE(test::comes_true([&] { return held->load(); }));
    return child;
  }

  static void wait_a_random_instant(std::mt19937& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));  // a random instant for the kill
  }

  const unsigned seed = std::random_device{}();
  std::mt19937 random{seed};
};

// --- a process that is stopped in the middle ---------------------------------------------------------------

TEST_F(SharedElementDeathTest, AStoppedHolderLetsTheOthersTimeOut) {
  given({numbers("channel")});
  SharedElement& channel = element("channel");
  ASSERT_TRUE(write(channel, 1));
  test::Child child = holder();
  const auto take_by = [](Deadline deadline) {
    return test::fetch_of(Verb::take, From::oldest, 0, deadline);
  };
  EXPECT_EQ(test::perform(channel, take_by(Deadline::after(20ms))), "timed out");
  EXPECT_EQ(test::perform(channel, take_by(Deadline::now())), "timed out");
  EXPECT_EQ(test::perform(channel, take_by(Deadline::after(-1s))), "timed out");
  Operation attempt = test::fetch_of(Verb::take);
  channel.attempt(attempt);
  EXPECT_EQ(attempt.status, Status::under_way);
  child.kill();
  EXPECT_EQ(test::perform(channel, take_by(patient)), "#1 = 1");
}

TEST_F(SharedElementDeathTest, ClosingDoesNotWaitForAStoppedHolder) {
  given({numbers("channel")});
  const test::Child child = holder();
  file.reset();
  EXPECT_TRUE(directory.files().empty());
}

// --- a home whose main thread has ended --------------------------------------------------------------------

TEST_F(SharedElementDeathTest, ElementsStayOpenWhenTheMainThreadOfTheirHomeHasEnded) {
  const test::Child home([this] {
    static const ElementFile made({{"wind", "n1", "p0", 0xfeed}, {numbers("channel")}, directory.path()});
    std::thread([] {
      while (true) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
  });
  const MainThread main(home.pid());
  ASSERT_TRUE(test::comes_true([&] { return main.stat()->state == 'Z'; }));
  ElementFileView view(find_element_files("wind", "n1", directory.path()).at(0));
  EXPECT_TRUE(view.find("channel")->is_open());
  EXPECT_TRUE(write(*view.find("channel"), 1));
}

// A holder that is killed between clearing the awaited events and signalling has not woken any thread.
TEST_F(SharedElementDeathTest, TheNextHolderSignalsEveryChangeThatADeadOneMayHaveMade) {
  given({numbers("channel")});
  test::ElementMemory memory(file->view().path());
  test::Child child = holder();
  const std::uint32_t tuples = shared_element::count_of(memory.head().tuple_came);
  const std::uint32_t rooms = shared_element::count_of(memory.head().room_came);
  child.kill();
  EXPECT_EQ(element("channel").counts().written, 0u);
  EXPECT_EQ(shared_element::count_of(memory.head().tuple_came), tuples + shared_element::Signal::once);
  EXPECT_EQ(shared_element::count_of(memory.head().room_came), rooms + shared_element::Signal::once);
  EXPECT_EQ(element("channel").counts().written, 0u);
  EXPECT_EQ(shared_element::count_of(memory.head().tuple_came), tuples + shared_element::Signal::once)
      << "once is enough";
}

// --- users that are killed ---------------------------------------------------------------------------------

constexpr std::size_t most = 2'000'000;

/// The fate of each number: whether it was written, and how often it was taken.
struct Log {
  std::array<std::atomic<std::uint8_t>, most> written{};
  std::array<std::atomic<std::uint8_t>, most> taken{};
  std::atomic<std::size_t> next{0};
};

void keep_writing(SharedElement& channel, Log& log) {
  for (std::size_t number = log.next++; number < most; number = log.next++) {
    Operation write = test::write_of(test::one(static_cast<std::int64_t>(number)), patient);
    channel.perform(write);
    if (write.status == Status::ok) log.written[number] = 1;
  }
}

void keep_taking(SharedElement& channel, Log& log) {
  while (true) {
    Operation take = test::fetch_of(Verb::take, From::oldest, 0, patient);
    channel.perform(take);
    if (take.status == Status::ok) ++log.taken.at(static_cast<std::size_t>(take.tuple.get<std::int64_t>(0)));
  }
}

class KilledUsersTest : public SharedElementDeathTest {
 protected:
  void drain(SharedElement& channel) {
    while (const auto number = take(channel, Deadline::after(0ms)))
      ++log->taken.at(static_cast<std::size_t>(*number));
  }
  /// Returns how many numbers were certainly written and not taken.
  std::uint64_t lost() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < most; ++i) count += log->written[i] != 0 && log->taken[i] == 0 ? 1 : 0;
    return count;
  }
  std::uint64_t doubled() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < most; ++i) count += log->taken[i] > 1 ? 1 : 0;
    return count;
  }

  const test::SharedMemory<Log> log;
};

TEST_F(KilledUsersTest, EveryWriteOfKilledWritersThatReturnedIsTakenOnce) {
  given({numbers("channel")});
  SharedElement& channel = element("channel");
  const test::Child taker =
      child([this](ElementFileView& view) { keep_taking(*view.find("channel"), *log); });
  for (int round = 0; round < 300 || (channel.counts().written <= 300 && round < 3000); ++round) {
    test::Child one = child([this](ElementFileView& view) { keep_writing(*view.find("channel"), *log); });
    test::Child other = child([this](ElementFileView& view) { keep_writing(*view.find("channel"), *log); });
    wait_a_random_instant(random);
    one.kill();
    other.kill();
  }
  ASSERT_TRUE(test::comes_true([&] { return channel.counts().kept == 0; }));
  ASSERT_TRUE(test::comes_true([&] { return lost() == 0; }))
      << lost();  // the last one is logged only after it has been taken
  EXPECT_EQ(doubled(), 0u);
  EXPECT_EQ(channel.counts().written, channel.counts().taken);
  EXPECT_GT(channel.counts().written, 300u);
}

TEST_F(KilledUsersTest, AKilledTakerTakesNoMoreThanItsOwnTuple) {
  given({numbers("channel")});
  SharedElement& channel = element("channel");
  constexpr std::uint64_t rounds = 300;
  const test::Child writer =
      child([this](ElementFileView& view) { keep_writing(*view.find("channel"), *log); });
  for (std::uint64_t round = 0; round < rounds; ++round) {
    test::Child one = child([this](ElementFileView& view) { keep_taking(*view.find("channel"), *log); });
    test::Child other = child([this](ElementFileView& view) { keep_taking(*view.find("channel"), *log); });
    wait_a_random_instant(random);
  }
  writer.signal(SIGSTOP);
  drain(channel);
  EXPECT_LE(lost(), 2 * rounds);  // each victim may have taken one without logging it
  EXPECT_EQ(doubled(), 0u);
  EXPECT_EQ(channel.counts().written, channel.counts().taken);
}

TEST_F(SharedElementDeathTest, SurvivorsGoOnWhileOthersAreKilled) {
  given({numbers("channel", 3)});
  const auto keep_writing = [](ElementFileView& view) {
    while (write(*view.find("channel"), 1)) {
    }
  };
  const auto keep_taking = [](ElementFileView& view) {
    while (take(*view.find("channel"))) {
    }
  };
  const test::Child writer = child(keep_writing);
  const test::Child taker = child(keep_taking);
  for (int round = 0; round < 200; ++round) {
    test::Child one = child(keep_writing);
    test::Child other = child(keep_taking);
    const std::uint64_t taken = element("channel").counts().taken;
    wait_a_random_instant(random);
    one.kill();
    other.kill();
    ASSERT_TRUE(test::comes_true([&] { return element("channel").counts().taken > taken; })) << round;
  }
}

}  // namespace
}  // namespace eventspace
