#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/tuplespace/tied_process.h"
#include "tests/tuplespace/trace/trace_ring.h"

// A writer at full speed and concurrent readers. Every tuple that a reader accepts must be whole, and the
// tuples that it accepts and counts as discarded or emptied must add up to the published tuples.

namespace eventspace {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto span = std::chrono::milliseconds(300);

/// A ring in memory that forked processes share, and a word that ends them.
class SharedRing {
 public:
  explicit SharedRing(std::uint32_t threshold)
      : threshold_(threshold), bytes_(TraceRing::bytes(threshold) + sizeof(TraceTuple)) {
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  }
  ~SharedRing() { ::munmap(memory_, bytes_); }
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;

  [[nodiscard]] TraceWriter writer() { return {memory_, threshold_}; }
  [[nodiscard]] TraceReader reader() const { return {memory_, threshold_}; }
  void empty() { TraceRing::empty(memory_); }
  TraceRing::Word& finished() {
    return *reinterpret_cast<TraceRing::Word*>(memory_ + TraceRing::bytes(threshold_));
  }

 private:
  std::uint32_t threshold_;
  std::size_t bytes_;
  std::byte* memory_;
};

/// Reads until the writer ends, and returns the number of the first fault, or 0.
enum Finding { fine, torn_tuple, damaged_tuple, wrong_order, wrong_count, torn_newest, torn_in_flight };

// Many rings together: between the check of a ring and its copying, others are copied.
Finding read_many(const std::vector<TraceReader>& readers) {
  std::vector<TraceTuple> tuples;
  TraceReader::read_newest(readers, tuples);
  for (const TraceTuple& tuple : tuples) {
    const bool begun = tuple.words[4] == 0;
    if (!test::is_whole(tuple, begun ? 4 : 8)) return begun ? torn_in_flight : torn_newest;
  }
  return fine;
}

Finding follow(const TraceReader& reader, TraceRing::Word& finished) {
  const std::vector<TraceReader> many(20, reader);
  std::vector<TraceTuple> tuples;
  std::uint64_t last = 0;
  for (bool more = true; more;) {
    // In this order: once the writer has finished, the ring does not change.
    more = finished.load() == 0 || reader.published() > last;
    tuples.clear();
    const TraceReader::Batch batch = reader.read_after(last, 64, tuples);
    std::uint64_t next = last + batch.discarded + batch.emptied;
    for (const TraceTuple& tuple : tuples) {
      if (!test::is_whole(tuple)) return torn_tuple;
      if (tuple.words[0] != ++next) return wrong_order;
    }
    if (batch.torn > 0) return damaged_tuple;
    if (next != batch.last) return wrong_count;
    last = batch.last;
    if (const auto newest = reader.newest(); newest && !test::is_whole(*newest)) return torn_newest;
    if (const auto begun = reader.in_flight(); begun && !test::is_whole(*begun, 4)) return torn_in_flight;
    tuples.clear();
    const bool with_one_begun = reader.read_newest(tuples);
    for (const TraceTuple& tuple : tuples) {
      const bool begun = with_one_begun && &tuple == &tuples.back();
      if (!test::is_whole(tuple, begun ? 4 : 8)) return begun ? torn_in_flight : torn_newest;
    }
    if (const Finding finding = read_many(many); finding != fine) return finding;
  }
  return last == reader.published() ? fine : wrong_count;
}

/// Empties the ring until the writer ends. Returns false if a read then yields emptied tuples.
bool empty_often(SharedRing& ring) {
  std::vector<TraceTuple> tuples;
  while (ring.finished().load() == 0) {
    const std::uint64_t before = ring.reader().published();
    ring.empty();
    tuples.clear();
    ring.reader().read_after(0, 64, tuples);
    if (!tuples.empty() && tuples.front().words[0] <= before) return false;
    const auto newest = ring.reader().newest();
    if (newest && newest->words[0] <= before) return false;
  }
  return true;
}

std::uint64_t write_at_full_speed(TraceWriter writer, TraceRing::Word& finished) {
  std::uint64_t written = 0;
  for (const auto end = Clock::now() + span; Clock::now() < end;) {
    for (int i = 0; i < 100; ++i) test::record(writer, ++written);
  }
  finished.store(1);
  return written;
}

class TraceElementStressTest : public testing::TestWithParam<std::uint32_t> {
 protected:
  SharedRing ring{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Thresholds, TraceElementStressTest, testing::Values(1, 2, 7, 200),
                         [](const auto& given) { return "Threshold" + std::to_string(given.param); });

TEST_P(TraceElementStressTest, ThreadsReadWholeTuplesOnly) {
  std::atomic<int> worst{fine};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([this, &worst] {
      if (const Finding finding = follow(ring.reader(), ring.finished()); finding != fine) worst = finding;
    });
  }
  const std::uint64_t written = write_at_full_speed(ring.writer(), ring.finished());
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(worst, fine);
  EXPECT_EQ(ring.reader().published(), written);
}

TEST_P(TraceElementStressTest, TwoThreadsEmptyTheRingWhileOthersReadIt) {
  std::atomic<int> worst{fine};
  std::atomic<bool> yields_emptied{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([this, &worst] {
      if (const Finding finding = follow(ring.reader(), ring.finished()); finding != fine) worst = finding;
    });
    others.emplace_back([this, &yields_emptied] {
      if (!empty_often(ring)) yields_emptied = true;
    });
  }
  write_at_full_speed(ring.writer(), ring.finished());
  for (std::thread& other : others) other.join();
  EXPECT_EQ(worst, fine);
  EXPECT_FALSE(yields_emptied);
}

TEST_P(TraceElementStressTest, ProcessesReadWholeTuplesOnly) {
  std::vector<pid_t> readers;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = test::fork_tied();
    if (child == 0) ::_exit(follow(ring.reader(), ring.finished()));
    readers.push_back(child);
  }
  write_at_full_speed(ring.writer(), ring.finished());
  for (const pid_t reader : readers) {
    int status = -1;
    ASSERT_EQ(::waitpid(reader, &status, 0), reader);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), fine);
  }
}

}  // namespace
}  // namespace eventspace
