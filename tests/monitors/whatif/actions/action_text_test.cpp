// Programs of actions as text: reading, writing, and refusals.
#include "monitors/whatif/actions/action_text.h"

#include <gmock/gmock.h>

#include <sstream>

#include <eventspace/error.h>
#include "monitors/whatif/actions/amounts.h"
#include "monitors/whatif/actions/consistency.h"
#include "tests/error_text.h"

namespace eventspace::whatif {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Program read(const std::string& lines) {
  std::istringstream in("eventspace-actions 1\n" + lines);
  return read_actions(in, "f.actions");
}

std::string fault_of(const std::string& lines) {
  return test::error_text<ConfigurationError>([&] { (void)read(lines); }, "none");
}

std::string written(const Program& program) {
  std::ostringstream out;
  write_actions(out, program);
  return out.str();
}

const std::string everything = R"(tasks 4
recorded 3.2s
name 1 a%20name
group 2 3,1
0 compute 3.356ms
0 idle 1us
0 overhead 12ns in pvm_pkint test
0 send 2 48B tag 7 group 1 takes 234us in MPI_Send sync
0 mcast 1-3 58B takes 184us
0 end
1 isend 2 16B request 0
1 irecv 0 8B request 1 wildcard
1 wait 0
1 wait 1 takes 5us any more
1 allreduce 1024B group 2
1 end
2 recv 0 16B partial
2 bcast 8B root 3
2 end
3 barrier
3 end
group 1 0-3
)";

TEST(ActionText, IsReadAndWrittenWithoutLoss) {
  const Program program = read(everything);
  const std::string text = written(program);
  std::istringstream again(text);
  EXPECT_EQ(written(read_actions(again, "again")), text);
  ASSERT_THAT(program.tasks, SizeIs(4));
  ASSERT_THAT(program.tasks[0].actions, SizeIs(5));
  EXPECT_EQ(program.tasks[0].actions[0].takes, 3'356'000'000);
  const Action& send = program.tasks[0].actions[3];
  EXPECT_EQ(send.peer, 2U);
  EXPECT_EQ(send.bytes, 48U);
  EXPECT_EQ(send.tag, 7U);
  EXPECT_EQ(program.functions[send.function], "MPI_Send");
  EXPECT_TRUE(send.has(Mark::sync));
  EXPECT_EQ(program.tasks[1].name, "a name");
  EXPECT_THAT(program.groups[2].members, ElementsAre(3, 1));
  EXPECT_EQ(program.recorded, 3'200'000'000'000);
}

TEST(ActionText, AWaitForSeveralRequestsIsOneForEachAndTakesItsTimeOnce) {
  const Program program = read(
      "tasks 2\n0 isend 1 1B request 7\n0 isend 1 1B request 9\n0 wait 7 9 takes 5us\n0 end\n"
      "1 recv 0 1B\n1 recv 0 1B\n1 end\n");
  const auto& actions = program.tasks[0].actions;
  ASSERT_THAT(actions, SizeIs(4));
  EXPECT_EQ(actions[2].takes, 0);
  EXPECT_EQ(actions[3].takes, 5'000'000);
  EXPECT_FALSE(actions[2].has(Mark::more));
  EXPECT_TRUE(actions[3].has(Mark::more));
  EXPECT_THAT(program.tasks[0].lines, ElementsAre(3, 4, 5, 5));
}

TEST(ActionText, FaultsNameFileLineAndTheExpectedWord) {
  const auto expect_fault = [](const std::string& lines, const std::string& line, const std::string& what) {
    EXPECT_THAT(fault_of(lines), testing::AllOf(HasSubstr("f.actions:" + line), HasSubstr(what))) << lines;
  };
  expect_fault("0 compute 1s\n", "2:", "the number of tasks must come first");
  expect_fault("tasks 0\n", "2:", "1 to 1048576 tasks");
  expect_fault("tasks 2000000\n", "2:", "1 to 1048576 tasks");
  expect_fault("tasks 2\ntasks 3\n", "3:", "twice");
  expect_fault("tasks 2\n2 end\n", "3:", "unknown task 2");
  expect_fault("tasks 1\n0 dance 3\n", "3:", "unknown action 'dance'; known: compute,");
  expect_fault("tasks 1\n0 compute 3\n", "3:", "found '3'; expected the duration");
  expect_fault("tasks 1\n0 compute -3s\n", "3:", "'-3s'");
  expect_fault("tasks 1\n0 compute 100000h\n", "3:", "shorter than 53 days");
  expect_fault("tasks 1\n0 send 1 5B\n", "3:", "unknown task 1");
  expect_fault("tasks 1\n0 send 0\n", "3:", "the line ends; expected the bytes of the message");
  expect_fault("tasks 1\n0 send 0 5B later\n", "3:", "found 'later' after the action; expected takes");
  expect_fault("tasks 2\n0 send 1 5B calls 3\n", "3:", "found 'calls' after the action; expected takes");
  expect_fault("tasks 1\n0 isend 0 5B\n", "3:", "the action needs 'request NUMBER'");
  expect_fault("tasks 1\n0 wait 4\n", "3:", "waits for request 4, which it has not begun");
  expect_fault("tasks 1\n0 isend 0 5B request 1\n0 isend 0 5B request 1\n", "4:", "begins request 1 again");
  expect_fault("tasks 1\n0 end\n0 compute 1s\n", "4:", "found an action of task 0 after its end");
  expect_fault("tasks 1\n0 barrier group 3\n0 end\n", "3:", "unknown group 3");
  expect_fault("tasks 1\ngroup 3 0,0\n", "3:", "task 0 is in group 3 twice");
  expect_fault("tasks 1\n0 end \x1b[31m\n", "3:", "found '\\u001b[31m'; expected the end");
  expect_fault("dance\n", "2:", "one of: tasks, recorded, name, group, holds");
}

TEST(ActionText, ATruncatedTextIsRefused) {
  EXPECT_THAT(fault_of("tasks 3\n0 compute 1s\n1 compute 1s\n1 end\n"),
              HasSubstr("truncated: the actions of tasks 0 have no end"));
  EXPECT_THAT(fault_of("tasks 1000000\n0 end\n"),
              HasSubstr("found no actions of tasks 1, 2, 3, 4, 5 and 999994"));
  EXPECT_THAT(fault_of(""), HasSubstr("found no tasks"));
  std::istringstream other("other 1\n");
  EXPECT_THROW((void)read_actions(other, "x"), ConfigurationError);
  std::istringstream version("eventspace-actions 9\n");
  EXPECT_THROW((void)read_actions(version, "x"), ConfigurationError);
}

TEST(ActionText, ALineWithoutEndIsRefused) {
  EXPECT_THAT(fault_of("tasks 1\n0 " + std::string(3U << 20, 'x')), HasSubstr("longer than"));
}

// --- amounts -------------------------------------------------------------------------------------------

TEST(Amounts, TimesAreExact) {
  EXPECT_EQ(time_from("3.356ms"), 3'356'000'000);
  EXPECT_EQ(time_from("0.0000005us"), 1);  // rounded
  EXPECT_EQ(time_from("90min"), 5400 * ps_per_second);
  EXPECT_EQ(time_from("0"), 0);
  for (const char* wrong : {"", "3", "ms", ".5s", "5.s", "1.2.3s", "-1s", "1e3s", "99999999999h", "1 s"})
    EXPECT_EQ(time_from(wrong), std::nullopt) << wrong;
  for (const Picoseconds time : {Picoseconds{1}, Picoseconds{999}, Picoseconds{1000}, Picoseconds{1'000'001},
                                 Picoseconds{3'600'000'000'000'001}, longest_time})
    EXPECT_EQ(time_from(to_text(time)), time) << to_text(time);
  EXPECT_EQ(to_text(3'356'000'000), "3.356ms");
}

TEST(Amounts, BytesRatesAndFactors) {
  EXPECT_EQ(bytes_from("1.5KiB"), 1536U);
  EXPECT_EQ(bytes_from("48"), 48U);
  EXPECT_EQ(bytes_from("48X"), std::nullopt);
  EXPECT_EQ(rate_from("10Mb/s"), 1e7);
  EXPECT_EQ(rate_from("1.25GB/s"), 1e10);
  EXPECT_EQ(rate_from("0Mb/s"), std::nullopt);
  EXPECT_EQ(rate_text(1e7), "10Mb/s");
  EXPECT_EQ(factor_from("x0.5"), 0.5);
  EXPECT_EQ(factor_from("xx"), std::nullopt);
  EXPECT_EQ(factor_from("-1"), std::nullopt);
}

// --- mismatches between tasks ---------------------------------------------------------------------------

std::vector<std::string> faults_between(const std::string& lines) {
  std::vector<std::string> texts;
  for (const Inconsistency& one : inconsistencies(read(lines)))
    texts.push_back((one.is_fault ? "fault " : "note ") + one.text);
  return texts;
}

TEST(Consistency, AProgramWhoseMessagesMeetHasNone) {
  EXPECT_THAT(faults_between("tasks 2\n0 send 1 5B\n0 barrier\n0 end\n1 recv 0 5B\n1 barrier\n1 end\n"),
              IsEmpty());
}

TEST(Consistency, AReceiveWithoutASendIsAFaultAndAnUnreceivedMessageIsNot) {
  EXPECT_THAT(
      faults_between("tasks 2\n0 send 1 5B tag 3\n0 end\n1 recv 0 5B\n1 end\n"),
      ElementsAre(
          "fault f.actions:5: task 1 receives 1 message and task 0 sends 0 messages (tag 0, group 0)",
          "note f.actions:3: task 1 receives 0 messages and task 0 sends 1 message (tag 3, group 0)"));
}

TEST(Consistency, PartialReceivesNeedTheBytesNotTheNumber) {
  EXPECT_THAT(
      faults_between("tasks 2\n0 send 1 48B\n0 end\n1 recv 0 16B partial\n1 recv 0 32B partial\n1 end\n"),
      IsEmpty());
  EXPECT_THAT(
      faults_between("tasks 2\n0 send 1 48B\n0 end\n1 recv 0 16B partial\n1 recv 0 33B partial\n1 end\n"),
      ElementsAre(HasSubstr("receives 49 bytes and task 0 sends 48")));
  EXPECT_THAT(faults_between("tasks 2\n0 send 1 48B\n0 end\n1 recv 0 16B partial\n1 recv 0 32B\n1 end\n"),
              ElementsAre(HasSubstr("are partial and some are whole")));
}

TEST(Consistency, MembersOfAGroupDoTheSameOperations) {
  EXPECT_THAT(faults_between("tasks 2\n0 barrier\n0 end\n1 bcast 8B\n1 end\n"),
              ElementsAre(HasSubstr("task 1 does bcast of group 0, but task 0 does barrier")));
  EXPECT_THAT(
      faults_between("tasks 2\n0 barrier\n0 end\n1 end\n"),
      ElementsAre("fault f.actions:3: task 0 does barrier of group 0, but task 1 has no matching action"));
  EXPECT_THAT(faults_between("tasks 3\ngroup 1 0-1\n2 barrier group 1\n0 end\n1 end\n2 end\n"),
              ElementsAre(HasSubstr("task 2 is not a member of group 1")));
  EXPECT_THAT(faults_between("tasks 1\n0 bcast 8B root 5\n0 end\n"),
              ElementsAre(HasSubstr("the root 5 is not a rank of group 0, which has 1 members")));
}

TEST(Consistency, FaultsAreThrownTogetherAndNotesReturned) {
  EXPECT_THROW((void)require_consistent(read("tasks 2\n0 recv 1 5B\n0 end\n1 end\n")), ConfigurationError);
  EXPECT_THAT(require_consistent(read("tasks 2\n0 send 1 5B\n0 end\n1 end\n")), SizeIs(1));
}

}  // namespace
}  // namespace eventspace::whatif
