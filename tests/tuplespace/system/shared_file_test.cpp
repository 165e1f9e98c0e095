#include "tuplespace/system/shared_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/second_user.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tests/tuplespace/system/many_signals.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class SharedFileTest : public testing::Test {
 protected:
  [[nodiscard]] PublishedFile published() const { return FileDraft(file, 4096, "thing").publish(); }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  test::TemporaryDirectory directory;
  const std::filesystem::path file{directory.path() / "file"};
};

// --- drafts ------------------------------------------------------------------------------------------------

TEST_F(SharedFileTest, ADraftThatIsNotPublishedIsRemoved) {
  {
    const FileDraft draft(file, 4096, "thing");
    EXPECT_THAT(directory.files(), ElementsAre("file.new"));
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(SharedFileTest, ADraftOfAKilledProcessIsReplaced) {
  write(directory.path() / "file.new", "half");
  const PublishedFile made = published();
  EXPECT_THAT(directory.files(), ElementsAre("file"));
  EXPECT_EQ(std::filesystem::file_size(file), 4096u);
}

TEST_F(SharedFileTest, ADraftInUseIsNot) {
  FileDraft first(file, 4096, "thing");
  EXPECT_THAT([this] { (void)published(); },
              ThrowsMessage<EnvironmentError>(HasSubstr("the thing " + file.string() + " is in use")));
  const PublishedFile made = first.publish();
  EXPECT_THAT(directory.files(), ElementsAre("file"));
}

TEST_F(SharedFileTest, WithoutDescriptorsItSaysSo) {
  if (!test::FewDescriptors::possible) GTEST_SKIP() << test::FewDescriptors::why_not;
  const test::FewDescriptors none;
  EXPECT_THAT([this] { (void)published(); },
              ThrowsMessage<EnvironmentError>(HasSubstr("cannot create the thing " + file.string())));
}

TEST_F(SharedFileTest, ADraftWhoseNameWasTakenIsNotPublished) {
  FileDraft first(file, 4096, "thing");
  std::filesystem::remove(directory.path() / "file.new");
  write(directory.path() / "file.new", "of another process");
  EXPECT_THAT([&first] { (void)first.publish(); }, ThrowsMessage<EnvironmentError>(HasSubstr("is in use")));
  EXPECT_THAT(directory.files(), ElementsAre("file.new"));
}

// --- published files ---------------------------------------------------------------------------------------

TEST_F(SharedFileTest, AFileInUseIsNeitherReplacedNorRemovedByAnother) {
  const PublishedFile first = published();
  EXPECT_THAT([this] { (void)published(); },
              ThrowsMessage<EnvironmentError>(HasSubstr("the thing " + file.string() + " is in use")));
  EXPECT_THAT(directory.files(), ElementsAre("file"));
}

TEST_F(SharedFileTest, AFileThatIsNoLongerInUseIsReplaced) {
  write(file, "old");
  const PublishedFile made = published();
  EXPECT_EQ(std::filesystem::file_size(file), 4096u);
}

TEST_F(SharedFileTest, AFileIsRemovedWithItsObjectUnlessAnotherHasItsName) {
  std::optional<PublishedFile> first = published();
  first.reset();
  EXPECT_THAT(directory.files(), IsEmpty());
  first = published();
  std::filesystem::remove(file);
  const PublishedFile second = published();
  first.reset();
  EXPECT_THAT(directory.files(), ElementsAre("file"));
}

TEST_F(SharedFileTest, AFileIsInUseUntilItsProcessEnds) {
  EXPECT_FALSE(is_in_use(file));
  test::Child child([this] {
    const PublishedFile made = published();
    while (true) ::pause();
  });
  ASSERT_TRUE(test::comes_true([this] { return std::filesystem::exists(file); }));
  EXPECT_TRUE(is_in_use(file));
  child.kill();
  EXPECT_FALSE(is_in_use(file));
}

TEST_F(SharedFileTest, AForkedChildDoesNotRemoveIt) {
  std::optional<PublishedFile> made = published();
  test::Child child([&made] { made.reset(); });
  EXPECT_TRUE(child.ends_well());
  EXPECT_TRUE(is_in_use(file));
}

// --- opening -----------------------------------------------------------------------------------------------

/// Returns why open_own_file refuses `file`; empty if it opens it.
std::string refusal_of(const std::filesystem::path& file) {
  return test::error_text<EnvironmentError>([&] {
    (void)open_own_file(file, FileAccess::read, "thing",
                        [](const std::string& why) { throw EnvironmentError(why); });
  });
}

TEST_F(SharedFileTest, OnlyARegularFileOfThisUserWithOneNameIsOpened) {
  const PublishedFile made = published();
  EXPECT_EQ(refusal_of(file), "");
  const auto other = directory.path() / "other";
  std::filesystem::create_hard_link(file, other);
  EXPECT_EQ(refusal_of(file), "it has 2 names (hard links)");
  std::filesystem::remove(other);
  std::filesystem::create_symlink(file, other);
  EXPECT_THAT(refusal_of(other), HasSubstr("cannot open thing"));
  ASSERT_EQ(::mkfifo((directory.path() / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(directory.path() / "fifo"), "it is not a regular file");
}

TEST_F(SharedFileTest, AFileOfAnotherUserIsNotOpened) {
  if (!test::SecondUser::possible()) GTEST_SKIP() << test::SecondUser::why_not;
  const PublishedFile made = published();
  ASSERT_EQ(::chown(file.c_str(), test::SecondUser::id, test::SecondUser::id), 0);
  EXPECT_EQ(refusal_of(file), "it belongs to user 65534");
}

// --- signals -----------------------------------------------------------------------------------------------

TEST_F(SharedFileTest, AReservationThatSignalsInterruptSucceeds) {
  constexpr std::uint64_t bytes = (3u << 20) + 17;
  const test::ManySignals signals;
  const PublishedFile made = FileDraft(file, bytes, "thing").publish();
  EXPECT_EQ(std::filesystem::file_size(file), bytes);
}

}  // namespace
}  // namespace eventspace
