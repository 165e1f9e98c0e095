#include "tuplespace/system/library_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/system/new_threads.h"
#include "tuplespace/system/directory_watch.h"

namespace eventspace {
namespace {

// A thread begins with all signals blocked by the C library, so each test waits until it does its work.
class LibraryThreadTest : public test::SharedElementTest {
 protected:
  const test::NewThreads added{};
};

TEST_F(LibraryThreadTest, BlocksAllSignalsAndItsStarterDoesNot) {
  std::thread thread = start_library_thread([this] { EXPECT_EQ(added.that_block_all_signals(), 1); });
  thread.join();
  EXPECT_FALSE(test::blocks_all_signals(std::to_string(::gettid())));
}

TEST_F(LibraryThreadTest, ADirectoryWatchHasOne) {
  std::atomic<bool> is_called{false};
  const DirectoryWatch watch(directory.path(), "", [&] { is_called = true; });
  ASSERT_TRUE(watch.works()) << watch.problem();
  given({});  // a file appears
  ASSERT_TRUE(test::comes_true([&] { return is_called.load(); }));
  EXPECT_EQ(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
}

TEST_F(LibraryThreadTest, AWakerAtASharedElementHasOne) {
  class Flag final : public Waker {
   public:
    void wake() noexcept override { is_called = true; }
    std::atomic<bool> is_called{false};
  };
  given({numbers("channel")});
  Flag waker;
  Operation take = test::fetch_of(Verb::take);
  take.waker = &waker;
  element("channel").attempt(take);
  ASSERT_TRUE(write(element("channel"), 1));
  ASSERT_TRUE(test::comes_true([&] { return waker.is_called.load(); }));
  EXPECT_EQ(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
  element("channel").forget(waker);
}

}  // namespace
}  // namespace eventspace
