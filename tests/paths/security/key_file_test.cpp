#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include <eventspace/error.h>
#include "paths/security/key_file.h"
#include "paths/security/observer_token.h"
#include "tests/error_text.h"

namespace eventspace {
namespace {

using std::filesystem::path;
using testing::HasSubstr;

std::string refusal_of(const std::function<void()>& action) {
  return test::error_text<Error>(action, "not refused");
}

std::string content_of(const path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A separate runtime directory of the test.
class KeyFileTest : public testing::Test {
 protected:
  KeyFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "keysXXXXXX").string();
    directory = ::mkdtemp(name.data());
    ::setenv("XDG_RUNTIME_DIR", directory.c_str(), 1);
    ::unsetenv("EVENTSPACE_KEYS");
  }
  ~KeyFileTest() override {
    ::unsetenv("XDG_RUNTIME_DIR");
    ::unsetenv("EVENTSPACE_KEYS");
    std::filesystem::remove_all(directory);
  }
  static PublicKey key_of(const std::shared_ptr<const UsedKeys>& used) {
    return used->keys().connecting.open;
  }
  /// Makes the key file of session "s" stay without a user, and returns its path.
  static path left_behind() {
    const auto used = use_session_keys("s");
    keep_session_keys(*used);
    return used->file();
  }

  path directory;
};

TEST_F(KeyFileTest, TheFirstProcessMakesTheKeysAndOthersFindThem) {
  const auto first = use_session_keys("s");
  const auto second = use_session_keys("s");
  EXPECT_EQ(key_of(first), key_of(second));
  struct stat status {};
  ASSERT_EQ(::stat(first->file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(first->file(), directory / "eventspace" / "s" / "keys");
  EXPECT_NE(key_of(first), key_of(use_session_keys("another")));
}

TEST_F(KeyFileTest, ManyThatComeAtOnceHaveTheSameKeys) {
  std::vector<std::shared_ptr<const UsedKeys>> used(8);
  {
    std::vector<std::jthread> comers;
    for (auto& one : used) comers.emplace_back([&one] { one = use_session_keys("s"); });
  }
  for (const auto& one : used) EXPECT_EQ(key_of(one), key_of(used[0]));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(used[0]->file().parent_path()), {}), 1)
      << "a draft was left";
}

TEST_F(KeyFileTest, TheFileEndsWithItsLastUser) {
  auto first = use_session_keys("s");
  auto second = use_session_keys("s");
  const path file = first->file();
  first.reset();
  EXPECT_TRUE(std::filesystem::exists(file));
  second.reset();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(KeyFileTest, ThatOfAKilledProcessIsUsedAndRemovedByTheNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto used = use_session_keys("s");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const path file = key_file_of("s");
  const std::string before = content_of(file);
  EXPECT_FALSE(before.empty());
  auto used = use_session_keys("s");
  EXPECT_EQ(to_text(used->keys()), before);
  used.reset();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(KeyFileTest, AKeptFileStaysUntilItIsReleased) {
  const path file = left_behind();
  EXPECT_TRUE(std::filesystem::exists(file));
  const auto used = use_session_keys("s");
  release_session_keys("s");
  EXPECT_TRUE(std::filesystem::exists(file)) << "it is in use";
  left_behind();
}

TEST_F(KeyFileTest, AReleasedFileWithoutUsersIsRemovedAtOnce) {
  const path file = left_behind();
  release_session_keys("s");
  EXPECT_FALSE(std::filesystem::exists(file));
  release_session_keys("s");
}

TEST_F(KeyFileTest, GivenKeysReplaceThoseThatAreThere) {
  const auto old = use_session_keys("s");
  const SessionKeys given = make_session_keys();
  auto used = use_given_keys("s", given);
  EXPECT_EQ(key_of(used), given.connecting.open);
  EXPECT_EQ(key_of(use_session_keys("s")), given.connecting.open);
  EXPECT_EQ(key_of(use_given_keys("s", given)), given.connecting.open);
  used.reset();
  EXPECT_NE(key_of(use_session_keys("s")), key_of(old))
      << "the keys of the replaced file are not found again";
}

TEST_F(KeyFileTest, AFileThatOthersCanReadIsRefused) {
  const path file = left_behind();
  ::chmod(file.c_str(), 0640);
  const std::string refusal = refusal_of([] { use_session_keys("s"); });
  EXPECT_THAT(refusal, HasSubstr(file.string()));
  EXPECT_THAT(refusal, HasSubstr("other users have access to it (mode 640)"));
}

TEST_F(KeyFileTest, ASymbolicLinkIsNotFollowed) {
  const path file = left_behind();
  std::filesystem::rename(file, file.string() + ".real");
  std::filesystem::create_symlink(file.string() + ".real", file);
  EXPECT_THAT(refusal_of([] { use_session_keys("s"); }), HasSubstr("it is a symbolic link"));
}

TEST_F(KeyFileTest, AFileWithTwoNamesIsRefused) {
  const path file = left_behind();
  std::filesystem::create_hard_link(file, file.string() + ".second");
  EXPECT_THAT(refusal_of([] { use_session_keys("s"); }), HasSubstr("it has 2 names"));
}

TEST_F(KeyFileTest, AFifoIsRefusedWithoutWaitingForItsWriter) {
  const path file = left_behind();
  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(refusal_of([] { use_session_keys("s"); }), HasSubstr("it is not a regular file"));
}

TEST_F(KeyFileTest, AFileOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const path file = left_behind();
  ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal_of([] { use_session_keys("s"); }), HasSubstr("it belongs to user 65534"));
}

TEST_F(KeyFileTest, ADirectoryThatOthersCanEnterIsRefused) {
  const path file = left_behind();
  ::chmod(file.parent_path().c_str(), 0755);
  EXPECT_THAT(refusal_of([] { use_session_keys("s"); }), HasSubstr("is open to other users (mode 755)"));
}

TEST_F(KeyFileTest, AFileThatIsNamedMustExist) {
  ::setenv("EVENTSPACE_KEYS", (directory / "batch").c_str(), 1);
  const std::string refusal = refusal_of([] { use_session_keys("s"); });
  EXPECT_THAT(refusal, HasSubstr("the keys of session s are expected in " + (directory / "batch").string()));
  EXPECT_THAT(refusal, HasSubstr("`eventspace up PATHMAP` makes them"));
}

TEST_F(KeyFileTest, AFileThatIsNamedIsUsedAndStays) {
  const SessionKeys keys = make_session_keys();
  const path file = directory / "batch";
  write_secret_file(file, to_text(keys));
  ::setenv("EVENTSPACE_KEYS", file.c_str(), 1);
  EXPECT_EQ(key_of(use_session_keys("s")), keys.connecting.open);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(KeyFileTest, FaultyTextsAreRefusedWithoutRepeatingThem) {
  const std::string whole = to_text(make_session_keys());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string refusal = refusal_of([&] { parse_session_keys(whole.substr(0, length), "the file"); });
    EXPECT_THAT(refusal, HasSubstr("the file")) << length;
    EXPECT_EQ(refusal.find(whole.substr(28, 8)), std::string::npos) << refusal;
  }
  EXPECT_NE(refusal_of([&] { parse_session_keys(whole + "x", "the file"); }), "not refused");
  std::string other = whole;
  other[30] = ' ';
  EXPECT_NE(refusal_of([&] { parse_session_keys(other, "the file"); }), "not refused");
}

TEST_F(KeyFileTest, ATokenIsWrittenAndReadAgain) {
  const ObserverToken token{"s", "tcp://there:7000", make_curve_keys().open, make_curve_keys()};
  const std::string text = to_text(token);
  const ObserverToken read = parse_observer_token(text, "the file");
  EXPECT_EQ(read.session, "s");
  EXPECT_EQ(read.gateway, "tcp://there:7000");
  EXPECT_EQ(read.server, token.server);
  EXPECT_EQ(read.observer.open, token.observer.open);
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(refusal_of([&] { parse_observer_token(text.substr(0, length), "the file"); }), "not refused");
}

TEST_F(KeyFileTest, ATokenForAnotherSessionIsRefused) {
  const path file = directory / "token";
  write_secret_file(
      file, to_text(ObserverToken{"s", "tcp://there:7000", make_curve_keys().open, make_curve_keys()}));
  ::setenv("EVENTSPACE_KEYS", file.c_str(), 1);
  EXPECT_EQ(security_of_observer("s")->gateway, "tcp://there:7000");
  EXPECT_THAT(refusal_of([] { security_of_observer("t"); }), HasSubstr("a token for session 's'"));
}

// /proc/self/smaps shows the contents of a core file: "dd" is memory that is not dumped, "wf" memory that a
// forked child finds empty.
TEST_F(KeyFileTest, SecretsAreInMemoryThatIsNotDumped) {
  const CurveKeys keys = make_curve_keys();
  const auto address = reinterpret_cast<std::uintptr_t>(keys.secret.bytes().data());
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) inside = begin <= address && address < end;
    if (!inside || !line.starts_with("VmFlags:")) continue;
    EXPECT_THAT(line, HasSubstr(" dd"));
    EXPECT_THAT(line, HasSubstr(" wf"));
    return;
  }
  GTEST_SKIP() << "this kernel does not say";
}

}  // namespace
}  // namespace eventspace
