#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>
#include <thread>

#include "tests/tuplespace/tied_process.h"
#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

/// A process that writes to its segment until it is killed.
class Victim {
 public:
  template <class Work>
  Victim(const std::filesystem::path& directory, Work work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = test::fork_tied();
    if (pid_ == 0) live(directory, work, ends[1]);
    ::close(ends[1]);
    char ready = 0;
    if (::read(ends[0], &ready, 1) != 1) throw std::runtime_error("the victim did not start");
    ::close(ends[0]);
  }
  ~Victim() { kill(); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  template <class Work>
  [[noreturn]] static void live(const std::filesystem::path& directory, Work work, int ready) {
    Segment segment(test::small_segment(directory));
    TraceWriter writer = segment.writer(0);
    work(writer, [ready] { return ::write(ready, "r", 1); });
    while (true) ::pause();
  }

  pid_t pid_{0};
};

class SegmentOrphanTest : public testing::Test {
 protected:
  SegmentView orphan() {
    const auto found = find_segments("wind", "n1", directory.path());
    if (found.size() != 1) throw std::runtime_error("there is not one segment");
    return SegmentView(found.front());
  }
  test::TemporaryDirectory directory;
};

TEST_F(SegmentOrphanTest, TheEventsAndTheOperationInFlightOfAKilledProcessAreReadable) {
  Victim victim(directory.path(), [](TraceWriter& writer, auto ready) {
    for (std::uint64_t s = 1; s <= 6; ++s) test::record(writer, s);
    test::begin_pattern(writer, 7);
    ready();
  });
  const pid_t pid = victim.pid();
  EXPECT_TRUE(is_alive(pid, orphan().process_start_ticks()));
  victim.kill();

  const SegmentView view = orphan();
  EXPECT_EQ(view.pid(), pid);
  EXPECT_FALSE(view.ended());
  EXPECT_FALSE(is_alive(pid, view.process_start_ticks()));
  std::vector<TraceTuple> tuples;
  const TraceReader& reader = view.traces()[0].reader;
  EXPECT_EQ(test::summary(reader.read_after(0, 100, tuples), tuples), "3 4 5 6, discarded 2");
  ASSERT_TRUE(reader.in_flight());
  EXPECT_EQ(reader.in_flight()->words[0], 7u);
  EXPECT_TRUE(test::is_whole(*reader.in_flight(), 4));
}

/// The progress that the victim reports, outside of its segment.
class Progress {
 public:
  Progress()
      : words_(static_cast<std::atomic<std::uint64_t>*>(
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Progress() { ::munmap(words_, bytes); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  [[nodiscard]] std::atomic<std::uint64_t>& begun() const { return words_[0]; }
  [[nodiscard]] std::atomic<std::uint64_t>& ended() const { return words_[1]; }
  void reset() const {
    begun() = 0;
    ended() = 0;
  }

 private:
  static constexpr std::size_t bytes = 2 * sizeof(std::atomic<std::uint64_t>);
  std::atomic<std::uint64_t>* words_;
};

/// Expects that everything published before the kill is present and whole, including the operation in flight.
void expect_evidence(const TraceReader& reader, const Progress& progress) {
  const std::uint64_t published = reader.published();
  EXPECT_GE(published, progress.ended());
  EXPECT_LE(published, progress.ended() + 1);
  std::vector<TraceTuple> tuples;
  const TraceReader::Batch batch = reader.read_after(0, 100, tuples);
  EXPECT_EQ(batch.torn, 0u);
  EXPECT_EQ(batch.last, published);
  EXPECT_EQ(tuples.size(), std::min<std::uint64_t>(reader.threshold(), published));
  for (const TraceTuple& tuple : tuples) EXPECT_TRUE(test::is_whole(tuple));
  const auto in_flight = reader.in_flight();
  EXPECT_TRUE(!in_flight || test::is_whole(*in_flight, 4));
  if (progress.begun() > published) {
    EXPECT_TRUE(in_flight && in_flight->words[0] == progress.begun());
  }
}

TEST_F(SegmentOrphanTest, KilledAtAnyInstantItLeavesAllThatItHadRecordedAndWhatWasInFlight) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const Progress progress;
  int in_flight = 0;
  for (int round = 0; round < 1000; ++round) {
    progress.reset();
    Victim victim(directory.path(), [&progress](TraceWriter& writer, auto ready) {
      for (std::uint64_t s = 1;; ++s) {
        test::begin_pattern(writer, s);
        progress.begun().store(s, std::memory_order_release);
        test::end_pattern(writer, s);
        progress.ended().store(s, std::memory_order_release);
        if (s == 1) ready();
      }
    });
    const auto instant = std::chrono::steady_clock::now() + std::chrono::nanoseconds(random() % 500'000);
    while (std::chrono::steady_clock::now() < instant) {
    }
    victim.kill();
    const SegmentView view = orphan();
    expect_evidence(view.traces()[0].reader, progress);
    in_flight += view.traces()[0].reader.in_flight() ? 1 : 0;
    std::filesystem::remove(view.path());
    ASSERT_FALSE(HasFailure()) << "in round " << round;
  }
  EXPECT_GT(in_flight, 0) << "no kill hit an operation";
}

TEST_F(SegmentOrphanTest, KilledWhileItMakesItsSegmentLeavesAWholeOneOrNone) {
  std::mt19937 random(4713);
  for (int round = 0; round < 50; ++round) {
    const pid_t child = test::fork_tied();
    if (child == 0) {
      while (true) const Segment segment(test::small_segment(directory.path()));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const auto& file : find_segments("wind", "n1", directory.path())) {
      EXPECT_EQ(test::refusal_of(file), "");
      std::filesystem::remove(file);
    }
  }
}

}  // namespace
}  // namespace eventspace
