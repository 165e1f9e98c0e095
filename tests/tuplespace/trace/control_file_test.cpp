#include "tuplespace/trace/control_file.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include <eventspace/error.h>
#include "tests/error_text.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Access = ControlView::Access;

class ControlFileTest : public testing::Test {
 protected:
  [[nodiscard]] ControlFile made() const { return ControlFile(identity, directory.path()); }
  static ControlView view_of(const ControlFile& file) { return {file.path(), Access::write}; }

  static std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const fs::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  /// Why a view is refused; empty if it is not.
  static std::string refusal_of(const fs::path& file) {
    return test::error_text<EnvironmentError>([&] { const ControlView view(file, Access::read); });
  }
  /// Why a view of the file is refused after `change` has changed its bytes.
  [[nodiscard]] std::string refusal_after(const std::function<void(control_layout::Header&)>& change) const {
    const ControlFile file = made();
    std::string content = content_of(file.path());
    change(*reinterpret_cast<control_layout::Header*>(content.data()));
    write(file.path(), content);
    return refusal_of(file.path());
  }

  test::TemporaryDirectory directory;
  SegmentIdentity identity{"wind", "n1", "p0", 0};
};

TEST_F(ControlFileTest, AnotherProcessSwitchesByKindAndClass) {
  const ControlFile file = made();
  EXPECT_TRUE(file.collect_switch()->is_complete());
  test::Child other([&file] {
    ControlView view = view_of(file);
    view.writable_switch().set({}, CollectSwitch::off);
    view.writable_switch().set({2, EventClasses::all_classes}, 10);
    view.writable_switch().set({2, 3}, CollectSwitch::everything);
  });
  ASSERT_TRUE(other.ends_well());
  const CollectSwitch& collecting = *file.collect_switch();
  EXPECT_FALSE(collecting.is_complete());
  EXPECT_EQ(collecting.period(1, 1), CollectSwitch::off);
  EXPECT_EQ(collecting.period(2, 1), 10u);
  EXPECT_EQ(collecting.period(2, 3), CollectSwitch::everything);
}

TEST_F(ControlFileTest, SaysWhoseItIsAndForWhomOnly) {
  const ControlFile file = made();
  const ControlView view(file.path(), Access::read);
  EXPECT_EQ(view.identity().session, "wind");
  EXPECT_EQ(view.identity().node, "n1");
  EXPECT_EQ(view.identity().process, "p0");
  EXPECT_EQ(view.pid(), ::getpid());
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(find_control_files("wind", "n1", directory.path()), ElementsAre(file.path()));
  EXPECT_THAT(find_segments("wind", "n1", directory.path()), IsEmpty());
}

TEST_F(ControlFileTest, IsRemovedWithItsObjectButNotByAForkedChild) {
  {
    const ControlFile file = made();
    test::Child child([] { std::exit(0); });
    EXPECT_TRUE(child.ends_well());
    EXPECT_TRUE(fs::exists(file.path()));
  }
  EXPECT_THAT(directory.files(), IsEmpty());
}

TEST_F(ControlFileTest, TheSwitchOutlivesIt) {
  std::shared_ptr<CollectSwitch> collecting;
  {
    const ControlFile file = made();
    collecting = file.collect_switch();
  }
  collecting->set({}, 5);
  EXPECT_EQ(collecting->period(7, 7), 5u);
}

// The process reads only memory that other processes cannot take away.
TEST_F(ControlFileTest, TruncatedWhileMappedChangesNothingForTheProcess) {
  const ControlFile file = made();
  ControlView view = view_of(file);
  ASSERT_EQ(::truncate(file.path().c_str(), 0), 0);
  EXPECT_TRUE(file.collect_switch()->is_complete());
  view.writable_switch().set({}, 3);
  EXPECT_EQ(file.collect_switch()->period(1, 1), 3u);
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("it is truncated: 0 bytes instead of 248"));
}

TEST_F(ControlFileTest, RemovedOrReplacedChangesNothingForTheProcess) {
  const ControlFile file = made();
  ASSERT_TRUE(fs::remove(file.path()));
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("cannot open control file"));
  write(file.path(), std::string(5000, 'x'));
  EXPECT_TRUE(file.collect_switch()->is_complete());
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("it is not a control file of EventSpace"));
}

TEST_F(ControlFileTest, JunkIsRefusedWithTheReason) {
  EXPECT_THAT(refusal_after([](auto& header) { header.magic = 7; }), HasSubstr("not a control file"));
  EXPECT_THAT(refusal_after([](auto& header) { header.layout_version = 99; }),
              HasSubstr("its layout is version 99; this program reads version 1"));
  EXPECT_THAT(refusal_after([](auto& header) { header.byte_order = 0x04030201; }), HasSubstr("byte order"));
  EXPECT_THAT(refusal_after([](auto& header) { header.memory = 1; }), HasSubstr("its checksum is wrong"));
}

TEST_F(ControlFileTest, ASymbolicLinkADirectoryAndAFileForOthersAreRefused) {
  const ControlFile file = made();
  const fs::path link = directory.path() / "link.control";
  fs::create_symlink(file.path(), link);
  EXPECT_THAT(refusal_of(link), HasSubstr("cannot open control file"));
  fs::create_directory(directory.path() / "directory.control");
  EXPECT_THAT(refusal_of(directory.path() / "directory.control"), HasSubstr("it is not a regular file"));
  fs::permissions(file.path(), fs::perms::others_read, fs::perm_options::add);
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("other users have access to it (mode 604)"));
}

TEST_F(ControlFileTest, ThatOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const ControlFile file = made();
  ASSERT_EQ(::chown(file.path().c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("it belongs to user 65534"));
  EXPECT_TRUE(file.collect_switch()->is_complete());
}

TEST_F(ControlFileTest, AnotherUserCanNeitherOpenItNorJoinItsMemory) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const ControlFile file = made();
  const std::string content = content_of(file.path());
  const auto& header = *reinterpret_cast<const control_layout::Header*>(content.data());
  fs::permissions(directory.path(), fs::perms::others_exec, fs::perm_options::add);
  test::Child other([&] {
    if (::setuid(65534) != 0) throw std::runtime_error("setuid");
    if (!refusal_of(file.path()).starts_with("cannot open control file")) throw std::runtime_error("opened");
    try {
      const UntruncatableMemory memory(header.memory, sizeof(control_layout::Memory), Access::write,
                                       "memory");
      throw std::logic_error("joined");
    } catch (const EnvironmentError&) {
    }
  });
  EXPECT_TRUE(other.ends_well());
}

TEST_F(ControlFileTest, ThatOfAKilledProcessIsRefusedAndItsMemoryIsGone) {
  test::Child child([this] {
    const ControlFile file = made();
    ::pause();
  });
  while (find_control_files("wind", "n1", directory.path()).empty()) std::this_thread::yield();
  const fs::path file = find_control_files("wind", "n1", directory.path()).at(0);
  EXPECT_EQ(refusal_of(file), "");
  child.kill();
  EXPECT_THAT(refusal_of(file), HasSubstr("its process has ended or called exec(2)"));
}

// The number of the memory is reused: it holds another program's data.
TEST_F(ControlFileTest, MemoryThatIsNotItsProcesssIsRefused) {
  const ControlFile file = made();
  std::string content = content_of(file.path());
  int error = 0;
  const auto other = UntruncatableMemory::try_make(sizeof(control_layout::Memory), error);
  ASSERT_TRUE(other);
  auto& header = *reinterpret_cast<control_layout::Header*>(content.data());
  header.memory = other->number();
  header.checksum = checksum_of(checksum_seed, {reinterpret_cast<const std::byte*>(content.data()),
                                                offsetof(control_layout::Header, checksum)});
  write(file.path(), content);
  EXPECT_THAT(refusal_of(file.path()), HasSubstr("does not belong to its process"));
}

TEST_F(ControlFileTest, MemoryOfAnotherSizeOrOpenToOthersIsRefused) {
  const auto refusal = [](int id, std::size_t bytes) -> std::string {
    return test::error_text<EnvironmentError>(
        [&] { const UntruncatableMemory memory(id, bytes, Access::read, "memory"); });
  };
  const int id = ::shmget(IPC_PRIVATE, 100, IPC_CREAT | 0644);
  ASSERT_GE(id, 0);
  EXPECT_THAT(refusal(id, 100), HasSubstr("other users have access"));
  ::shmctl(id, IPC_RMID, nullptr);
  int error = 0;
  const auto memory = UntruncatableMemory::try_make(100, error);
  ASSERT_TRUE(memory);
  EXPECT_THAT(refusal(memory->number(), 200), HasSubstr("has 100 bytes instead of 200"));
}

TEST_F(ControlFileTest, OneThatCannotBeMadeLeavesNoFileBehind) {
  identity.process = std::string(64, 'p');
  EXPECT_THROW((void)made(), ConfigurationError);
  identity.process = "p0";
  EXPECT_THROW(ControlFile(identity, directory.path() / "none"), EnvironmentError);
  EXPECT_THAT(directory.files(), IsEmpty());
}

}  // namespace
}  // namespace eventspace
