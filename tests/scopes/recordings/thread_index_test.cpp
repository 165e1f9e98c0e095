#include <gmock/gmock.h>

#include "scopes/recordings/chunk.h"
#include "scopes/recordings/replay.h"
#include "scopes/recordings/thread_lists.h"
#include "scopes/scope.h"
#include "tests/scopes/recordings/recorded.h"

// The index by thread: its contents, and that chunks of other threads are not read.
namespace eventspace::test {
namespace {

using recording::ReadThreadLists;
using recording::ThreadLists;

using Threads = std::vector<std::uint32_t>;

class ThreadIndex : public Recorded {
 protected:
  // A chunk of thread 1, one of thread 11, and a loss.
  void record() const {
    RecordingWriter writer(config());
    writer.add_events(view_of({event(1, 10, 20, 1)}), 25);
    writer.add_events(view_of({event(2, 30, 40, 11)}, {1}), 45);
    View lossy = view_of({});
    lossy.loss.discarded = 3;
    writer.add_events(std::move(lossy), 65);
    writer.end({.reason = "end"});
  }
  [[nodiscard]] std::string concerned(const Threads& threads, const std::string& name = "run.evs") const {
    const RecordingReader reader(file(name));
    std::string text;
    for (std::size_t i = 0; i < reader.chunks().size(); ++i) text += reader.concerns(i, threads) ? 'x' : '-';
    return text;
  }
};

TEST_F(ThreadIndex, SaysWhichChunksHaveEventsOfAThread) {
  record();
  EXPECT_EQ(concerned({1}), "x-x") << "losses are of interest to all";
  EXPECT_EQ(concerned({11}), "-xx");
  EXPECT_EQ(concerned({1, 11}), "xxx");
  EXPECT_EQ(concerned({5}), "--x");
}

TEST_F(ThreadIndex, WithoutAnIndexEveryChunkMayHaveThem) {
  record();
  const std::string whole = octets("run.evs");
  store(whole.substr(0, whole.rfind("\xe5\x43\x48\x4b\x06")), "cut.evs");
  EXPECT_EQ(concerned({5}, "cut.evs"), "xxx");
}

TEST_F(ThreadIndex, AScopeOfOneThreadReadsNoChunkOfOthers) {
  record();
  // The body of the second chunk is damaged: a scope that read it would report it.
  std::string damaged = octets("run.evs");
  std::size_t at = recording::FileHeader::bytes;
  for (int chunk = 0;; ++chunk) {
    const auto header = recording::decode_chunk_header(std::as_bytes(std::span(damaged)).subspan(at));
    ASSERT_TRUE(header);
    if (chunk == 2) break;
    at += recording::length_of(*header);
  }
  for (std::size_t i = 9; i < 90; ++i) damaged[at + recording::ChunkHeader::bytes + i] ^= 0x55;
  store(damaged, "run.evs");
  const auto missing = [&](std::uint32_t trace, std::uint32_t dynamic = 0) {
    Replay replay(RecordingReader(file()), names_,
                  {{.thread = 1}, {.thread = 11}, {.thread = 5}, {.thread = trace == 3 ? 1u : 11u}});
    ScopeTree tree;
    tree.next = true;
    tree.root.name = "process";
    tree.root.wrapper = "read";
    tree.root.sources = {{3, trace == 3 ? 0u : 1u}};
    tree.root.dynamic = {100, dynamic};
    EventScope scope(tree, {.names = &names_, .endpoints = {}, .replay = &replay});
    replay.set_now_ns(100);
    return scope.pull({}).missing.size();
  };
  EXPECT_EQ(missing(3), 0u);
  EXPECT_EQ(missing(11), 1u);
  EXPECT_EQ(missing(3, 10), 0u) << "with processes that no plan has, of which there are none";
}

TEST(ThreadListsTest, AnyListsAreReadAsTheyWereWritten) {
  ThreadLists lists;
  lists.add({.threads = {0, 1, 5, 0xffffffff}});
  lists.add({});
  lists.add({.threads = {200}, .has_rest = true});
  const auto read = ReadThreadLists::read(lists.bytes(), 3);
  ASSERT_TRUE(read);
  for (const std::uint32_t thread : {0u, 1u, 5u, 0xffffffffu})
    EXPECT_TRUE(read->concerns(0, Threads{thread}));
  EXPECT_FALSE(read->concerns(0, Threads{2, 6, 200}));
  EXPECT_FALSE(read->concerns(1, Threads{0}));
  EXPECT_TRUE(read->concerns(2, Threads{7}));
  EXPECT_TRUE(read->concerns(0, Threads{}, true)) << "one of them is no number of a plan";
  EXPECT_FALSE(read->concerns(0, Threads{}));
  EXPECT_FALSE(read->concerns(1, Threads{}, true));
}

TEST(ThreadListsTest, BytesThatAreNoListsAreRefused) {
  ThreadLists lists;
  lists.add({.threads = {3, 300}});
  const Bytes bytes = lists.bytes();
  EXPECT_FALSE(ReadThreadLists::read(bytes, 2)) << "too few";
  EXPECT_FALSE(ReadThreadLists::read(bytes, 0)) << "too many";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ReadThreadLists::read(bytes.first(size), 1));
  const std::vector<std::byte> endless(20, std::byte{0xff});
  EXPECT_FALSE(ReadThreadLists::read(endless, 1));
  const std::vector<std::byte> falling{std::byte{4}, std::byte{7}, std::byte{0}};
  EXPECT_FALSE(ReadThreadLists::read(falling, 1)) << "a thread twice";
}

TEST(ThreadListsTest, TooManyAreDroppedAndNotCutOff) {
  ThreadLists lists;
  Threads threads(100'000);
  for (std::uint32_t i = 0; i < threads.size(); ++i) threads[i] = i;
  for (int chunk = 0; chunk < 170; ++chunk) lists.add({.threads = threads});
  EXPECT_TRUE(lists.bytes().empty());
  lists.add({.threads = {1}});
  EXPECT_TRUE(lists.bytes().empty()) << "a list of some would be of the wrong chunks";
}

}  // namespace
}  // namespace eventspace::test
