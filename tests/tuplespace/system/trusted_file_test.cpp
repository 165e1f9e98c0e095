#include "tuplespace/system/trusted_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/temporary_directory.h"

// Files whose code is about to run. The directories of these tests are in /tmp, which all users may write to,
// but which is sticky and belongs to root: that is allowed.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t nobody = 65534;

class TrustedFileTest : public testing::Test {
 protected:
  TrustedFileTest() {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "code";
    for (fs::path part = file; part != directory.path(); part = part.parent_path())
      ::chmod(part.c_str(), part == file ? 0644 : 0755);
  }

  /// Returns why `path` is refused, or the path that is opened instead.
  static std::string told(const fs::path& path) {
    return test::error_text<ConfigurationError>([&] { return require_trusted_file(path); });
  }
  void give_away(const fs::path& path) const { ASSERT_EQ(::lchown(path.c_str(), nobody, nobody), 0); }

  const test::TemporaryDirectory directory;
  const fs::path root = fs::canonical(directory.path());
  const fs::path file = root / "a/b/plugin.so";
};

TEST_F(TrustedFileTest, OneOfTheUserInDirectoriesOfTheUserIsTrusted) {
  EXPECT_EQ(told(file), file);
  EXPECT_EQ(told(root / "a/./b/../b//plugin.so"), file);
  EXPECT_EQ(told("/bin/sh"), fs::canonical("/bin/sh"));
}

TEST_F(TrustedFileTest, NeitherAFileNorADirectoryMayBeWrittenByOthers) {
  for (const fs::path& part : {file, root / "a/b", root / "a"}) {
    struct stat before {};
    ASSERT_EQ(::stat(part.c_str(), &before), 0);
    ::chmod(part.c_str(), before.st_mode | S_IWOTH);
    EXPECT_THAT(told(file), HasSubstr(part.string() + " can be changed by other users (mode "));
    ::chmod(part.c_str(), before.st_mode);
    EXPECT_EQ(told(file), file);
  }
}

TEST_F(TrustedFileTest, AGroupMayWriteOnlyIfTheUserIsAlone) {
  ::chmod(file.c_str(), 0664);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 0, nobody), 0);
    EXPECT_THAT(told(file), HasSubstr("can be changed by other users (mode 664)"));
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    EXPECT_EQ(told(file), file) << "the group root has no other member";
  } else {
    EXPECT_THAT(told(file), testing::AnyOf(file.string(), HasSubstr("mode 664")));
  }
}

TEST_F(TrustedFileTest, InAStickyDirectoryOnlyWhatIsTheUsersCounts) {
  ::chmod((root / "a").c_str(), 01777);
  EXPECT_EQ(told(file), file);
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  give_away(root / "a/b");
  EXPECT_THAT(told(file), HasSubstr("a/b belongs to another user (id 65534)"));
}

TEST_F(TrustedFileTest, ThatOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  for (const fs::path& part : {file, root / "a/b", root / "a"}) {
    give_away(part);
    EXPECT_THAT(told(file), HasSubstr(part.string() + " belongs to another user (id 65534)"));
    ASSERT_EQ(::chown(part.c_str(), 0, 0), 0);
  }
  EXPECT_EQ(told(file), file);
}

TEST_F(TrustedFileTest, LinksAreFollowedAndCheckedLikeDirectories) {
  fs::create_symlink("b/plugin.so", root / "a/relative");
  fs::create_symlink(file, root / "absolute");
  fs::create_directory_symlink("a/b", root / "c");
  fs::create_symlink("../absolute", root / "a/up");
  for (const char* link : {"a/relative", "absolute", "c/plugin.so", "a/up", "c/../relative"})
    EXPECT_EQ(told(root / link), file) << link;
  fs::create_symlink("round", root / "round");
  EXPECT_THAT(told(root / "round"), HasSubstr("Too many levels of symbolic links"));
  ::chmod((root / "a/b").c_str(), 0777);
  EXPECT_THAT(told(root / "absolute"), HasSubstr("a/b can be changed"));
}

TEST_F(TrustedFileTest, ALinkOfAnotherUserIsRefusedWhereverItLeads) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  fs::create_symlink(file, root / "link");
  give_away(root / "link");
  EXPECT_THAT(told(root / "link"), HasSubstr("link belongs to another user"));
}

TEST_F(TrustedFileTest, WhatIsNoFileIsRefusedAndNothingWaits) {
  EXPECT_THAT(told(root / "a/b"), HasSubstr("is not a regular file"));
  EXPECT_THAT(told("/"), HasSubstr("is not a regular file"));
  ASSERT_EQ(::mkfifo((root / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(told(root / "fifo"), HasSubstr("is not a regular file"));
  EXPECT_THAT(told("/dev/null"),
              testing::AnyOf(HasSubstr("is not a regular file"), HasSubstr("can be changed")));
  EXPECT_THAT(told(root / "nowhere/plugin.so"), HasSubstr("nowhere: No such file"));
  EXPECT_THAT(told(file / "x"), HasSubstr("Not a directory"));
  EXPECT_THAT(told(file / ".."), HasSubstr("Not a directory"));
}

TEST_F(TrustedFileTest, AnotherUserTrustsNeitherTheFilesOfTheFirstNorItsDirectories) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const fs::path first = root / "first";
  fs::create_directory(first);
  fs::copy(file, first / "plugin.so");
  for (const fs::path& part : {first, first / "plugin.so"}) ASSERT_EQ(::chown(part.c_str(), 1234, 1234), 0);
  ::chmod(root.c_str(), 0755);
  test::Child other([&] {
    if (::setgid(nobody) != 0 || ::setuid(nobody) != 0) throw std::runtime_error("setuid");
    if (told(file) != file) throw std::runtime_error("files of root are everybody's: " + told(file));
    if (told(first / "plugin.so").find("belongs to another user (id 1234)") == std::string::npos)
      throw std::runtime_error(told(first / "plugin.so"));
  });
  EXPECT_TRUE(other.ends_well());
}

}  // namespace
}  // namespace eventspace
