#include "monitors/probing/processes/process_modules.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <eventspace/error.h>
#include "monitors/probing/groups/chosen_processes.h"
#include "tests/error_text.h"
#include "tests/monitors/probing/target.h"

namespace eventspace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(MappedRanges, AreReadFromTheTextOfTheKernel) {
  const auto ranges = ranges_in(
      "555500000000-555500001000 r--p 00000000 fe:00 77                         /opt/my app\n"
      "555500001000-555500002000 r-xp 00001000 fe:00 77                         /opt/my app\n"
      "7f0000000000-7f0000001000 rw-s 00000000 00:01 5                          /memfd:x (deleted)\n"
      "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0                          [stack]\n"
      "no range at all\n"
      "7f-80 rwxp\n");
  ASSERT_THAT(ranges, SizeIs(4));
  EXPECT_EQ(ranges[1].begin, 0x555500001000U);
  EXPECT_EQ(ranges[1].offset, 0x1000U);
  EXPECT_TRUE(ranges[1].is_executable);
  EXPECT_EQ(ranges[1].path, "/opt/my app");
  EXPECT_TRUE(ranges[2].is_shared && ranges[2].is_writable && ranges[2].is_removed);
  EXPECT_EQ(ranges[2].path, "/memfd:x");
  EXPECT_EQ(ranges[3].path, "[stack]");
}

TEST(ProcessModules, AreTheFilesWithCode) {
  const auto modules =
      modules_of(ranges_in("1000-2000 r--p 00000000 fe:00 77 /app\n"
                           "2000-3000 r-xp 00001000 fe:00 77 /app\n"
                           "3000-4000 r--p 00000000 fe:00 78 /data\n"
                           "4000-5000 r-xp 00000000 00:00 0 [vdso]\n"
                           "5000-6000 rwxp 00000000 00:00 0\n"));
  ASSERT_THAT(modules, SizeIs(1));
  EXPECT_EQ(modules[0].path, "/app");
  EXPECT_THAT(modules[0].ranges, SizeIs(2));
}

TEST(ProcessModules, OfThisProcessCanBeReadThroughProc) {
  const auto modules = modules_of(mapped_ranges(::getpid()));
  ASSERT_FALSE(modules.empty());
  for (const ProcessModule& module : modules) {
    std::error_code error;
    EXPECT_TRUE(std::filesystem::equivalent(file_of(::getpid(), module), module.path, error)) << module.path;
  }
}

TEST(MappedRanges, OfAProcessThatDoesNotExistAreRefused) {
  EXPECT_EQ(test::error_text<EnvironmentError>([&] { (void)mapped_ranges(4194304); }),
            "process 4194304 does not exist");
}

TEST(Processes, AreFoundByTheNameOfTheirProgram) {
  const testing_probing::Target child({"/bin/sleep", "60"});
  EXPECT_THAT(chosen_processes({.names = {"slee?"}}), Contains(child.pid()));
  EXPECT_THAT(chosen_processes({.pids = {child.pid(), 1, 1}}), ElementsAre(child.pid(), 1));
  EXPECT_THAT(chosen_processes({}), IsEmpty());
  EXPECT_THROW(chosen_processes({.names = {"no-such-program"}}), EnvironmentError);
  EXPECT_THROW(chosen_processes({.names = {"{a"}}), ConfigurationError);
}

}  // namespace
}  // namespace eventspace
