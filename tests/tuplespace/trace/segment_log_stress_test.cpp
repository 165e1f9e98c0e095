#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/tuplespace/trace/segment_talk.h"
#include "tuplespace/trace/segment_entries.h"

// Threads that add, threads that record, and readers that read the additions. A view maps the memory again,
// so ThreadSanitizer does not connect its loads with the stores of the writer; the second test reads the
// writer's own memory.

namespace eventspace {
namespace {

using namespace segment_layout;

constexpr std::uint32_t blocks = 300;
constexpr std::uint64_t events = 20;

// Adds blocks of two trace elements, records in each, binds a thread and names it.
std::uint64_t add_and_record(Segment& segment, std::uint32_t base) {
  std::uint64_t refused = 0;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto thread = segment.add_thread(base + i, 0);
    const auto first = segment.add_traces(
        std::vector{test::added_trace("a", base + 2 * i, 30), test::added_trace("b", base + 2 * i + 1, 30)});
    refused += !segment.add_name({1, base + i, "thread"}) + !thread + !first;
    if (thread) segment.bind_thread(*thread, static_cast<std::int32_t>(base + i));
    if (!first) continue;
    TraceWriter writer = segment.writer(*first + 1);
    for (std::uint64_t s = 1; s <= events; ++s) test::record(writer, s);
  }
  return refused;
}

// Whether the visible data are consistent: a thread is bound to its own number or not yet, tuples are not
// torn.
bool is_sound(const SegmentView& view) {
  for (std::size_t i = 2; i < view.threads().size(); ++i) {
    if (view.tid(i) != 0 && view.tid(i) != static_cast<std::int32_t>(view.threads()[i])) return false;
  }
  std::vector<TraceTuple> tuples;
  for (const SegmentView::Trace& trace : view.traces()) trace.reader.read_after(0, 100, tuples);
  for (const TraceTuple& tuple : tuples) {
    if (!test::is_whole(tuple)) return false;
  }
  return true;
}

TEST(SegmentLogStressTest, ViewsSeeWholeAdditionsWhileThreadsAddAndRecord) {
  const test::TemporaryDirectory directory;
  Segment segment(test::small_segment(directory.path()));
  std::atomic<int> running{2};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<bool> sound{true};
  std::vector<std::thread> threads;
  for (const std::uint32_t base : {1000u, 100'000u}) {
    threads.emplace_back([&, base] {
      refused += add_and_record(segment, base);
      --running;
    });
  }
  threads.emplace_back([&] {  // records continuously in earlier trace elements
    TraceWriter writer = segment.writer(0);
    for (std::uint64_t s = 1; running > 0; ++s) test::record(writer, s);
  });
  SegmentView view(segment.path());
  while (running > 0) {
    view.refresh();
    sound = sound && is_sound(view);
  }
  for (std::thread& thread : threads) thread.join();
  view.refresh();
  EXPECT_TRUE(sound && is_sound(view));
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(view.threads().size(), 2u + 2 * blocks);
  EXPECT_EQ(view.traces().size(), 2u + 4 * blocks);
  EXPECT_EQ(view.names().size(), 2u * blocks);
  for (std::size_t i = 3; i < view.traces().size(); i += 2)
    ASSERT_EQ(view.traces()[i].reader.published(), events) << i;
}

TEST(SegmentLogStressTest, AReaderOfTheSameMemorySeesWholeEntries) {
  struct alignas(64) Line {
    std::byte bytes[64]{};
  };
  constexpr std::uint32_t names = 20'000;
  std::vector<Line> memory(names * 2);
  std::byte* const segment = memory[0].bytes;
  std::atomic<std::uint64_t> log_end{0};
  const auto name = [](std::uint32_t i) { return SegmentName{1, i, std::string(1 + i % 100, 'x')}; };
  std::thread writer([&] {
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < names; ++i) {
      write_name_entry(segment, end, name(i));
      end += name_entry_bytes(name(i).text.size());
      log_end.store(end, std::memory_order_release);
    }
  });
  std::uint32_t read = 0;
  bool right = true;
  for (std::uint64_t at = 0; read < names && right;) {
    const std::uint64_t end = log_end.load(std::memory_order_acquire);
    for (; at < end && right; ++read) {
      const CheckedEntry entry = read_entry(segment, at, end, {0, 0, 1});
      right = std::get<SegmentName>(entry.content) == name(read);
      at += entry.bytes;
    }
  }
  writer.join();
  EXPECT_TRUE(right) << "at name " << read;
}

}  // namespace
}  // namespace eventspace
