#include "tuplespace/system/library_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/tuplespace/shared/shared_element_talk.h"
#include "tests/tuplespace/system/new_threads.h"
#include "tuplespace/system/directory_watch.h"

namespace eventspace {
namespace {

class LibraryThreadTest : public test::SharedElementTest {
 protected:
  const test::NewThreads added;
};

TEST_F(LibraryThreadTest, BlocksAllSignalsAndItsStarterDoesNot) {
  std::thread thread = start_library_thread([this] { EXPECT_EQ(added.that_block_all_signals(), 1); });
  thread.join();
  EXPECT_FALSE(test::blocks_all_signals(std::to_string(::gettid())));
}

TEST_F(LibraryThreadTest, ADirectoryWatchHasOne) {
  const DirectoryWatch watch(directory.path(), "", [] {});
  ASSERT_TRUE(watch.works()) << watch.problem();
  EXPECT_EQ(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
}

TEST_F(LibraryThreadTest, AWakerAtASharedElementHasOne) {
  class NoMatter final : public Waker {
   public:
    void wake() noexcept override {}
  };
  given({numbers("channel")});
  NoMatter waker;
  Operation take = test::fetch_of(Verb::take);
  take.waker = &waker;
  element("channel").attempt(take);
  EXPECT_EQ(added.that_block_all_signals(), 1);
  EXPECT_EQ(added.that_do_not(), 0);
  element("channel").forget(waker);
}

}  // namespace
}  // namespace eventspace
