#include "tuplespace/system/directory_watch.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <semaphore>

#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;

class DirectoryWatchTest : public testing::Test {
 protected:
  /// Makes a file appear under this name.
  void publish(const std::string& name) const {
    const auto draft = directory.path() / "draft";
    std::ofstream(draft) << "segment";
    std::filesystem::rename(draft, directory.path() / name);
  }
  bool is_called() { return calls.try_acquire_for(60s); }

  test::TemporaryDirectory directory;
  std::counting_semaphore<> calls{0};
  DirectoryWatch watch{directory.path(), "mine.", [this] { calls.release(); }};
};

TEST_F(DirectoryWatchTest, TellsOfEachFileThatAppears) {
  ASSERT_TRUE(watch.works()) << watch.problem();
  publish("mine.1");
  EXPECT_TRUE(is_called());
  publish("mine.2");
  EXPECT_TRUE(is_called());
}

TEST_F(DirectoryWatchTest, TellsOfNoOtherFile) {
  publish("yours.1");
  std::ofstream(directory.path() / "mine.draft") << "not there yet";
  publish("mine.1");
  EXPECT_TRUE(is_called());
  EXPECT_FALSE(calls.try_acquire());
}

TEST_F(DirectoryWatchTest, TheLastOfManyIsNotForgotten) {
  for (int number = 0; number < 1000; ++number) publish("mine." + std::to_string(number));
  while (calls.try_acquire()) {
  }
  publish("mine.last");
  EXPECT_TRUE(is_called());
}

TEST(DirectoryWatchWithoutDirectory, SaysSo) {
  const DirectoryWatch watch("/nowhere/at/all", "", [] { ADD_FAILURE(); });
  EXPECT_FALSE(watch.works());
  EXPECT_EQ(watch.problem(), "cannot watch directory /nowhere/at/all: No such file or directory (errno 2)");
}

TEST(DirectoryWatchWithoutDescriptors, SaysWhichLimitToRaise) {
  const test::TemporaryDirectory directory;
  // UBSan needs descriptors when it meets an object of a new type, so all types are used here first.
  const DirectoryWatch before_that("/nowhere/at/all", "", [] { ADD_FAILURE(); });
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const DirectoryWatch watch(directory.path(), "", [] { ADD_FAILURE(); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(watch.works());
  EXPECT_EQ(watch.problem(),
            "cannot watch directory " + directory.path().string() +
                ": Too many open files (errno 24); raise the limit on open files (ulimit -n)");
}

}  // namespace
}  // namespace eventspace
