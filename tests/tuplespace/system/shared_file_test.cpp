#include "tuplespace/system/shared_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "tests/tuplespace/child.h"
#include "tests/tuplespace/shared/shared_memory.h"
#include "tests/tuplespace/system/few_descriptors.h"
#include "tests/tuplespace/system/many_signals.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tuplespace/system/error.h"

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

// --- signals -----------------------------------------------------------------------------------------------

TEST_F(SharedFileTest, AReservationThatSignalsInterruptSucceeds) {
  constexpr std::uint64_t bytes = (3u << 20) + 17;
  const test::ManySignals signals;
  const PublishedFile made = FileDraft(file, bytes, "thing").publish();
  EXPECT_EQ(std::filesystem::file_size(file), bytes);
}

}  // namespace
}  // namespace eventspace
