#include "monitors/probing/groups/process_table.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "monitors/probing/groups/chosen_processes.h"
#include "tests/monitors/probing/target.h"

// Parallel jobs as their launchers publish them for debuggers. The processes here do not have the environment
// of a job, and were not started by the launcher.

namespace eventspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_probing::eventually;
using testing_probing::state_of;
using testing_probing::Target;
using testing_probing::text_of;

class LaunchedJob : public testing::Test {
 protected:
  ~LaunchedJob() override { fs::remove(out_); }

  /// Two processes; the first one is rank 1.
  void launch(const std::string& host) {
    for (auto* const process : {&first_, &second_})
      *process = std::make_unique<Target>(std::vector<std::string>{LAUNCHER_APP, "x", "1"}, "/dev/null");
    launcher_ =
        std::make_unique<Target>(std::vector<std::string>{LAUNCHER_APP, host, std::to_string(second_->pid()),
                                                          std::to_string(first_->pid())},
                                 out_);
    ASSERT_TRUE(eventually([&] { return text_of(out_) == "launched\n"; }));
  }
  [[nodiscard]] std::vector<std::int32_t> pids(const std::string& where) const {
    std::vector<std::int32_t> found;
    ProcessChoice choice;
    choice.jobs = {std::to_string(launcher_->pid())};
    choice.where = where;
    for (const ProcessFacts& process : members_here(choice, {})) found.push_back(process.pid);
    return found;
  }

  fs::path out_ = fs::temp_directory_path() / ("eventspace-launcher-" + std::to_string(::getpid()));
  std::unique_ptr<Target> first_;
  std::unique_ptr<Target> second_;
  std::unique_ptr<Target> launcher_;
};

TEST_F(LaunchedJob, HasTheProcessesAndRanksOfTheTable) {
  launch(own_host());
  const auto table = process_table_of(launcher_->pid());
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[1].pid, first_->pid());
  EXPECT_EQ(table[1].rank, 1U);
  EXPECT_EQ(table[1].host, own_host());
  EXPECT_THAT(pids(""), testing::UnorderedElementsAre(first_->pid(), second_->pid()));
  EXPECT_THAT(pids("rank == 0"), ElementsAre(second_->pid()));
  EXPECT_THAT(pids("rank == 1"), ElementsAre(first_->pid()));
}

TEST_F(LaunchedJob, HasNoProcessesOfOtherMachinesHere) {
  launch("another-machine");
  EXPECT_EQ(process_table_of(launcher_->pid()).size(), 2U);
  EXPECT_THAT(pids(""), IsEmpty());
}

// Open MPI fills its table only when a debugger has requested it at the start; its processes are found
// nevertheless.
TEST(RealLauncher, HasItsRanksAsAJob) {
  if (std::system("command -v mpirun > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no mpirun";
  const Target launcher({"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun",
                         "--oversubscribe", "-np", "3", "/bin/sleep", "600"},
                        "/dev/null");
  const auto ranks = [&](const std::string& where) {
    ProcessChoice choice;
    choice.jobs = {std::to_string(launcher.pid())};
    choice.where = where;
    return members_here(choice, {});
  };
  const bool are_there = eventually([&] { return ranks("name == 'sleep'").size() == 3; });
  if (!are_there && state_of(launcher.pid()) == 'Z') GTEST_SKIP() << "mpirun does not run here";
  ASSERT_TRUE(are_there);
  std::set<std::uint64_t> numbers;
  for (const ProcessFacts& process : ranks("name == 'sleep'")) numbers.insert(process.rank.value_or(99));
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
  EXPECT_EQ(ranks("rank == 2").size(), 1U);
  for (const ProcessFacts& process : ranks("")) ::kill(process.pid, SIGTERM);
}

TEST(ProcessTable, IsEmptyForProcessesThatHaveNone) {
  EXPECT_THAT(process_table_of(::getpid()), IsEmpty());
  EXPECT_THAT(process_table_of(4194304), IsEmpty());
}

TEST(ProcessTable, NamesMachinesWithAndWithoutTheirDomain) {
  EXPECT_TRUE(is_same_host("n1", "n1.cluster"));
  EXPECT_TRUE(is_same_host("n1.cluster", "n1"));
  EXPECT_TRUE(is_same_host("localhost", "n1"));
  EXPECT_FALSE(is_same_host("n1.a", "n1.b"));
  EXPECT_FALSE(is_same_host("n1", "n2"));
  EXPECT_FALSE(is_same_host("", "n2"));
}

}  // namespace
}  // namespace eventspace
