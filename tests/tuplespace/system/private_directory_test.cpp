#include "tuplespace/system/private_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include "tests/tuplespace/second_user.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/sockets/served_sockets.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using test::SecondUser;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

unsigned mode_of(const fs::path& file) {
  struct stat status {};
  ::lstat(file.c_str(), &status);
  return status.st_mode & 07777;
}

/// A place where every user may make files, like /tmp.
class PrivateDirectoryTest : public testing::Test {
 protected:
  PrivateDirectoryTest() { ::chmod(shared().c_str(), 01777); }
  ~PrivateDirectoryTest() override {
    for (const char* name : {"EVENTSPACE_SHM_DIR", "XDG_RUNTIME_DIR"}) ::unsetenv(name);
  }
  [[nodiscard]] fs::path shared() const { return place.path(); }
  [[nodiscard]] fs::path mine() const { return private_directory(shared(), "mine"); }

  test::TemporaryDirectory place;
};

/// Processor time of `work`.
std::clock_t cpu_of(const std::function<void()>& work) {
  const std::clock_t before = std::clock();
  work();
  return std::clock() - before;
}

TEST_F(PrivateDirectoryTest, IsMadeForThisUserAloneAndFoundAgain) {
  EXPECT_EQ(mine(), shared() / "mine");
  EXPECT_EQ(mode_of(mine()), 0700u);
  EXPECT_EQ(mine(), shared() / "mine");
  EXPECT_EQ(notice_of_taken_name(shared(), "mine"), std::nullopt);
}

TEST_F(PrivateDirectoryTest, ThatIsOpenToOthersIsRefused) {
  ::chmod(mine().c_str(), 0755);
  EXPECT_THAT([this] { (void)mine(); },
              ThrowsMessage<EnvironmentError>(HasSubstr("is open to other users (mode 755)")));
}

TEST_F(PrivateDirectoryTest, WhereEveryUserMayReplaceItIsRefused) {
  ::chmod(shared().c_str(), 0777);
  EXPECT_THAT([this] { (void)mine(); }, ThrowsMessage<EnvironmentError>(HasSubstr("set its sticky bit")));
}

TEST_F(PrivateDirectoryTest, OfAParentThatDoesNotExistDoesNotExist) {
  EXPECT_EQ(private_directory(shared() / "none", "mine"), shared() / "none" / "mine");
  EXPECT_FALSE(fs::exists(shared() / "none"));
}

TEST_F(PrivateDirectoryTest, WhoseNameIsALinkIsNotThere) {
  const test::TemporaryDirectory elsewhere;
  fs::create_directory_symlink(elsewhere.path(), shared() / "mine");
  EXPECT_EQ(mine(), shared() / "mine.1");
  EXPECT_THAT(elsewhere.files(), IsEmpty());
}

TEST_F(PrivateDirectoryTest, WhoseNameAnotherUserTookHasANumberThatAllFind) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  ASSERT_TRUE(SecondUser::can([this] { return ::mkdir((shared() / "mine").c_str(), 0777) == 0; }));
  EXPECT_EQ(mine(), shared() / "mine.1");
  EXPECT_EQ(mode_of(mine()), 0700u);
  EXPECT_EQ(notice_of_taken_name(shared(), "mine"), (shared() / "mine").string() +
                                                        " belongs to user 65534; " +
                                                        (shared() / "mine.1").string() + " is used instead");
}

TEST_F(PrivateDirectoryTest, StaysTheSameWhenTheOtherUserGivesTheNameBack) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  const fs::path taken = shared() / "mine";
  ASSERT_TRUE(SecondUser::can([&] { return ::mkdir(taken.c_str(), 0777) == 0; }));
  const fs::path before = mine();
  ASSERT_TRUE(SecondUser::can([&] { return ::rmdir(taken.c_str()) == 0; }));
  EXPECT_EQ(mine(), before);
}

TEST_F(PrivateDirectoryTest, IsFoundAmongSixtyThousandNamesThatAnotherUserTook) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  constexpr int many = 60'000;
  ASSERT_TRUE(SecondUser::can([this] {
    for (int number = 0; number < many; ++number) {
      const fs::path name = shared() / (number == 0 ? "mine" : "mine." + std::to_string(number));
      if (::mknod(name.c_str(), S_IFREG | 0666, 0) != 0) return false;
    }
    return true;
  }));
  EXPECT_EQ(mine(), shared() / ("mine." + std::to_string(many)));
  EXPECT_EQ(mine(), shared() / ("mine." + std::to_string(many)));
}

TEST_F(PrivateDirectoryTest, IsTheSameForProcessesThatMakeItAtOnce) {
  std::ofstream(shared() / "mine") << "as if another user had taken the name";
  std::vector<fs::path> found(8);
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (fs::path& one : found) {
    threads.emplace_back([&] {
      while (!go) std::this_thread::yield();
      one = mine();
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, testing::Each(shared() / "mine.1"));
}

// --- where files of a user are
// -------------------------------------------------------------------------------

TEST_F(PrivateDirectoryTest, SegmentsAreInASubdirectoryWhereOthersMayMakeFiles) {
  EXPECT_EQ(own_directory_in(shared()), shared() / own_directory_name());
}

TEST_F(PrivateDirectoryTest, ADirectoryOfThisUserAloneIsUsedItself) {
  ::chmod(shared().c_str(), 0755);
  EXPECT_EQ(own_directory_in(shared()), shared());
}

TEST_F(PrivateDirectoryTest, SixtyThousandForeignFilesWithOurPrefixCostNothing) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  ASSERT_TRUE(SecondUser::can([this] {
    for (int number = 0; number < 60'000; ++number) {
      const fs::path name = shared() / (session_files::prefix("wind", "n1") + "p0." + std::to_string(number));
      if (::mknod(name.c_str(), S_IFREG | 0666, 0) != 0) return false;
    }
    return true;
  }));
  constexpr int times = 100;
  const std::clock_t one_reading =
      cpu_of([this] { (void)std::distance(fs::directory_iterator(shared()), {}); });
  const std::clock_t looks = cpu_of([this] {
    for (int look = 0; look < times; ++look)
      ASSERT_THAT(find_segments("wind", "n1", own_directory_in(shared())), IsEmpty());
  });
  EXPECT_LT(looks, times / 4 * one_reading) << "they do not read those files";
}

TEST_F(PrivateDirectoryTest, TheRuntimeDirectoryOfAnotherUserIsNotUsed) {
  if (!SecondUser::possible()) GTEST_SKIP() << SecondUser::why_not;
  ASSERT_EQ(::chown(shared().c_str(), SecondUser::id, SecondUser::id), 0);
  ::chmod(shared().c_str(), 0700);
  ::setenv("XDG_RUNTIME_DIR", shared().c_str(), 1);  // like after su(1)
  EXPECT_THAT(runtime_directory().string(), testing::Not(HasSubstr(shared().string())));
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST_F(PrivateDirectoryTest, TheRuntimeDirectoryIsFoundWithoutTheVariable) {
  const fs::path usual = runtime_directory();
  ::setenv("XDG_RUNTIME_DIR", "/does/not/exist", 1);  // as on a machine to which a batch system sent it
  EXPECT_EQ(runtime_directory(), usual);
  EXPECT_EQ(mode_of(usual), 0700u);
}

TEST_F(PrivateDirectoryTest, LookingForTheRuntimeDirectoryMakesNothing) {
  ::chmod(shared().c_str(), 0700);
  ::setenv("XDG_RUNTIME_DIR", shared().c_str(), 1);
  EXPECT_EQ(existing_runtime_directory(), std::nullopt);
  EXPECT_THAT(place.files(), IsEmpty());
  EXPECT_EQ(runtime_directory(), shared() / "eventspace");
  EXPECT_EQ(existing_runtime_directory(), shared() / "eventspace");
  ::chmod((shared() / "eventspace").c_str(), 0755);
  EXPECT_THROW((void)existing_runtime_directory(), EnvironmentError);
}

TEST_F(PrivateDirectoryTest, LookingWhereNoDirectoryCanBeMadeFindsNoServer) {
  ::setenv("XDG_RUNTIME_DIR", "/proc/self/task", 1);  // of this user, but not writable
  EXPECT_THROW((void)runtime_directory(), EnvironmentError);
  EXPECT_EQ(existing_runtime_directory(), std::nullopt);
  EXPECT_THAT(find_served_sockets(), IsEmpty());
}

TEST_F(PrivateDirectoryTest, LookingFindsTheDirectoryWithANumberThatIsOurs) {
  EXPECT_EQ(existing_private_directory(shared(), "ours"), std::nullopt);
  EXPECT_EQ(existing_private_directory(shared() / "none", "ours"), std::nullopt);
  fs::create_directory(shared() / "ours.3");
  fs::permissions(shared() / "ours.3", fs::perms::owner_all);
  std::ofstream(shared() / "ours") << "a file is as good as taken by another user";
  EXPECT_EQ(existing_private_directory(shared(), "ours"), shared() / "ours.3");
}

TEST_F(PrivateDirectoryTest, TheRuntimeDirectoryIsInThatOfTheLogin) {
  ::chmod(shared().c_str(), 0700);
  ::setenv("XDG_RUNTIME_DIR", shared().c_str(), 1);
  EXPECT_EQ(runtime_directory(), shared() / "eventspace");
  EXPECT_THAT(place.files(), ElementsAre("eventspace"));
}

}  // namespace
}  // namespace eventspace
