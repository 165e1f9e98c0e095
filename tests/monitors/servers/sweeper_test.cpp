#include "tests/monitors/servers/sweeper.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "monitors/servers/child_process.h"
#include "tests/monitors/workplace.h"
#include "tests/tuplespace/child.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing_commands::eventually;
using testing_commands::kill_all_in;
using testing_commands::processes_in;
using testing_commands::Sweeper;

// Leaves a process in `directory`, as `eventspace up` does.
void start_a_server_in(const std::filesystem::path& directory) {
  (void)ChildProcess::start(
      {{"sleep", "1000"}, {{"XDG_RUNTIME_DIR", directory.string()}}, directory / "log", true});
}

TEST(SweeperTest, KillsTheProcessesOfAKilledTestAndRemovesItsDirectory) {
  const test::TemporaryDirectory directory;
  test::Child killed([&directory] {
    const Sweeper sweeper(directory.path());
    start_a_server_in(directory.path());
    while (true) ::pause();
  });
  ASSERT_TRUE(eventually([&] { return !processes_in(directory.path()).empty(); }));
  killed.kill();
  EXPECT_TRUE(eventually([&] { return processes_in(directory.path()).empty(); }));
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(directory.path()); }));
}

TEST(SweeperTest, KillsAllProcessesOfADirectoryAndNoOthers) {
  const test::TemporaryDirectory one, other;
  start_a_server_in(one.path());
  start_a_server_in(other.path());
  EXPECT_TRUE(kill_all_in(one.path()));
  EXPECT_THAT(processes_in(one.path()), IsEmpty());
  EXPECT_THAT(processes_in(other.path()), SizeIs(1));
  EXPECT_TRUE(kill_all_in(other.path()));
}

}  // namespace
}  // namespace eventspace
