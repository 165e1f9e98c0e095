#include "pathmaps/jobs/job_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include <eventspace/error.h>
#include "pathmaps/plan/session_plan.h"
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"
#include "tests/tuplespace/variable.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class JobDirectoryTest : public testing::Test {
 protected:
  static JobNode machine(int number) {
    JobNode node;
    node.session = "solver";
    node.node = "n" + std::to_string(number);
    node.machine = std::to_string(1'000'000'000'000'000 + number);
    node.pid = 1 + number;
    node.port = 4711;
    node.addresses = {"10.0.0.1"};
    return node;
  }
  void put(const std::string& name, const std::string& text) {
    std::ofstream(directory.path() / name) << text;
  }

  test::TemporaryDirectory shared;
  JobDirectory directory = JobDirectory::make(shared.path(), "solver");
};

TEST_F(JobDirectoryTest, IsClosedToOthersAndHasKeys) {
  struct stat status {};
  ASSERT_EQ(::stat(directory.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(directory.key_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const test::Variable given("EVENTSPACE_KEYS", "/elsewhere/keys");
  EXPECT_EQ(directory.key_file(), "/elsewhere/keys");
}

TEST_F(JobDirectoryTest, GivesEachMachineTheLowestFreeNumber) {
  EXPECT_EQ(directory.enter(machine(7)), 0u);
  EXPECT_EQ(directory.enter(machine(8)), 1u);
  EXPECT_EQ(directory.enter(machine(7)), 0u) << "the next server of the same machine";
  directory.leave(0, machine(8).machine);  // another machine's
  EXPECT_EQ(directory.read("solver").nodes.size(), 2u);
  directory.leave(0, machine(7).machine);
  EXPECT_EQ(directory.enter(machine(9)), 0u);
  std::vector<std::string> names;
  for (const JobNode& node : directory.read("solver").nodes) names.push_back(node.node);
  EXPECT_EQ(names, (std::vector<std::string>{"n9", "n8"}));
}

TEST_F(JobDirectoryTest, GivesNoNumberTwiceWhenAllMachinesEnterAtOnce) {
  constexpr int machines = 16;
  std::vector<std::uint32_t> numbers(machines);
  std::vector<std::thread> threads;
  for (int i = 0; i < machines; ++i)
    threads.emplace_back([&, i] { numbers[static_cast<std::size_t>(i)] = directory.enter(machine(i)); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::uint32_t>(numbers.begin(), numbers.end()).size(), 16u);
  EXPECT_EQ(*std::ranges::max_element(numbers), 15u);
}

TEST_F(JobDirectoryTest, NamesFaultyEntriesAndReadsTheOthers) {
  (void)directory.enter(machine(1));
  put("node-001", to_text(machine(2)).substr(0, 43));
  put("node-002", std::string(5000, 'x'));
  JobNode other = machine(3);
  other.session = "another";
  put("node-003", to_text(other));
  std::filesystem::create_symlink("/etc/passwd", directory.path() / "node-004");
  ASSERT_EQ(::mkfifo((directory.path() / "node-005").c_str(), 0600), 0);
  (void)directory.enter(machine(6));
  const auto contents = directory.read("solver");
  ASSERT_EQ(contents.nodes.size(), 2u);
  EXPECT_EQ(contents.nodes[1].node, "n6");
  EXPECT_EQ(contents.nodes[1].number, 6u);
  ASSERT_EQ(contents.faults.size(), 5u);
  EXPECT_THAT(contents.faults[0], AllOf(HasSubstr("node-001"), HasSubstr("ends within a line")));
  EXPECT_THAT(contents.faults[1], AllOf(HasSubstr("node-002"), HasSubstr("5000 bytes")));
  EXPECT_THAT(contents.faults[2], HasSubstr("is of session 'another', not 'solver'"));
  EXPECT_THAT(contents.faults[3], HasSubstr("node-004 cannot be opened"));
  EXPECT_THAT(contents.faults[4], HasSubstr("node-005: it is not a regular file"));
}

TEST_F(JobDirectoryTest, WithoutRoomSaysSo) {
  for (std::uint32_t i = 0; i < max_job_nodes; ++i) (void)directory.enter(machine(static_cast<int>(i)));
  const std::string refused =
      test::error_text<EnvironmentError>([&] { (void)directory.enter(machine(1000)); });
  EXPECT_THAT(refused, HasSubstr("machine n1000"));
  EXPECT_THAT(refused, HasSubstr("room for 256"));
}

TEST_F(JobDirectoryTest, ThatIsOpenToOthersIsNotUsed) {
  ::chmod(directory.path().c_str(), 0755);
  EXPECT_THROW(JobDirectory{directory.path()}, EnvironmentError);
  EXPECT_THROW(JobDirectory{shared.path() / "missing"}, EnvironmentError);
  EXPECT_THROW((void)JobDirectory::make(shared.path() / "missing", "solver"), EnvironmentError);
}

TEST_F(JobDirectoryTest, RemovesWhatItPutThere) {
  (void)directory.enter(machine(1));
  directory.remove();
  EXPECT_TRUE(shared.files().empty());
}

// Each machine's processes have separate numbers, whichever machines the monitor's plan has.
TEST(PlanOfJob, GivesEachMachineNumbersThatNoOtherHas) {
  const auto here =
      plan_of_job("solver", 3, {{7, "n7", "10.0.0.7", 4711}, {2, "n7", "10.0.0.2", 4711}}, "/keys");
  ASSERT_EQ(here->nodes.size(), 3u);
  EXPECT_EQ(here->nodes[NodeIndex(2)].name, "n7-2") << "two machines of one name";
  EXPECT_EQ(here->nodes[NodeIndex(1)].dynamic, plan_of_job_node("solver", 7)->nodes[NodeIndex(0)].dynamic);
  EXPECT_EQ(here->scopes_fingerprint, plan_of_job_node("solver", 7)->scopes_fingerprint);
  std::uint32_t end = max_job_nodes + 1;  // after the numbers of the nodes' servers
  for (std::uint32_t number = 0; number <= max_job_nodes; ++number) {
    const auto range = *plan_of_job_node("solver", number)->nodes[NodeIndex(0)].dynamic;
    EXPECT_GE(range.first, end);
    EXPECT_GE(range.count, 500u);
    end = range.first + range.count;
  }
  EXPECT_LE(end, dynamic_process);
  const ScopeTree* const events = here->find_scope("events");
  ASSERT_NE(events, nullptr);
  ASSERT_EQ(events->root.children.size(), 3u);
  EXPECT_EQ(events->root.children[0].endpoint, "");
  EXPECT_EQ(events->root.children[1].endpoint, "tcp://10.0.0.7:4711");
}

}  // namespace
}  // namespace eventspace
