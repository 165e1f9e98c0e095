// Time-independent traces of SimGrid's SMPI.
#include "monitors/whatif/actions/smpi_trace.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include <eventspace/error.h>
#include "monitors/whatif/actions/action_text.h"
#include "monitors/whatif/actions/consistency.h"
#include "monitors/whatif/simulation/simulate.h"
#include "tests/error_text.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace::whatif {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Program read_trace(const std::string& lines, const SmpiSettings& settings = {}) {
  std::istringstream in(lines);
  return read_smpi_trace(in, "f.ti", settings);
}

std::string fault_of_trace(const std::string& lines) {
  return test::error_text<ConfigurationError>([&] { (void)read_trace(lines); }, "none");
}

std::string trace_actions(const Program& program) {
  std::ostringstream out;
  write_actions(out, program);
  std::string text = out.str();
  return text.substr(text.find("\n0 ") + 1);
}

TEST(SmpiTrace, MessagesAreElementsOfADatatype) {
  EXPECT_EQ(trace_actions(read_trace("0 init 1\n0 send 1 7 10\n0 send 1 7 10 1\n0 compute 1e6\n0 finalize\n"
                                     "1 init\n1 recv 0 7 80\n1 recv 0 7 40 6\n1 sleep 0.5\n1 finalize\n")),
            "0 idle 0\n0 send 1 80B tag 7 in send\n0 send 1 40B tag 7 in send\n0 compute 1ms\n0 end\n"
            "1 idle 0\n1 recv 0 80B tag 7 in recv\n1 recv 0 40B tag 7 in recv\n1 idle 500ms\n1 end\n");
}

TEST(SmpiTrace, WaitsNameTheMessageAndWaitallIsForAll) {
  const Program program = read_trace(
      "0 isend 1 1 8 6\n0 isend 1 2 8 6\n0 wait 0 1 2\n0 waitall\n"
      "1 irecv 0 1 8 6\n1 irecv 0 2 8 6\n1 irecv 0 2 8 6\n1 waitall 3\n0 isend 1 2 8 6\n0 waitall\n");
  const auto& first = program.tasks[0].actions;
  ASSERT_THAT(first, SizeIs(6));
  EXPECT_EQ(first[2].request, first[1].request);
  EXPECT_EQ(first[3].request, first[0].request);
  EXPECT_THAT(program.tasks[1].actions, SizeIs(6));
  EXPECT_TRUE(program.tasks[1].actions[4].has(Mark::more));
}

TEST(SmpiTrace, CollectivesHaveTheirBytesAndTheirWork) {
  const std::string text = trace_actions(
      read_trace("0 barrier\n0 bcast 10 1 6\n0 reduce 10 2e6 1 6\n0 allreduce 10 0\n0 alltoall 4 4 6 6\n"
                 "0 gather 4 8 1 6 6\n0 allgatherv 4 1 3 6\n0 scatter 4 8 1 6\n0 reducescatter 3 5 0 6\n"
                 "0 alltoallv 100 1 3 100 2 2 6 6\n0 scan 4 0 6\n1 barrier\n"));
  EXPECT_THAT(text,
              HasSubstr("0 barrier in barrier\n0 bcast 10B root 1 in bcast\n0 reduce 10B root 1 in reduce\n"
                        "0 compute 2ms\n0 allreduce 10B in allreduce\n0 alltoall 4B in alltoall\n"
                        "0 gather 4B root 1 in gather\n0 allgather 4B in allgatherv\n"
                        "0 scatter 8B root 1 in scatter\n0 reducescatter 8B in reducescatter\n"
                        "0 alltoall 2B in alltoallv\n0 scan 4B in scan\n"));
}

TEST(SmpiTrace, ComputeIsDividedByTheSpeed) {
  EXPECT_EQ(read_trace("0 compute 3e9\n", {.flops_per_second = 1e9}).tasks[0].actions[0].takes,
            3 * ps_per_second);
  EXPECT_EQ(read_trace("0 compute 3e9\n", {.flops_per_second = 3e9}).tasks[0].actions[0].takes,
            ps_per_second);
}

TEST(SmpiTrace, FaultsNameFileAndLine) {
  EXPECT_THAT(fault_of_trace("0 init\n0 dance\n"),
              HasSubstr("f.ti:2: the action 'dance' cannot be simulated"));
  EXPECT_THAT(fault_of_trace("0 send 1\n1 init\n"), HasSubstr("f.ti:1: the line ends; expected a tag"));
  EXPECT_THAT(fault_of_trace("0 send 5 0 8\n"), HasSubstr("f.ti:1: unknown task 5"));
  EXPECT_THAT(fault_of_trace("0 send 0 0 8 9\n"), HasSubstr("found '9'; expected a datatype"));
  EXPECT_THAT(fault_of_trace("0 wait 0 1 2\n"),
              HasSubstr("f.ti:1: found a wait for a message that no isend"));
  EXPECT_THAT(fault_of_trace("0 compute 1e300\n"), HasSubstr("longer than 53 days"));
  EXPECT_THAT(fault_of_trace("0 send 0 0 1e300\n"), HasSubstr("2^44"));
  EXPECT_THAT(fault_of_trace("0 init\n2 init\n"), HasSubstr("found no actions of tasks 1"));
  EXPECT_THAT(fault_of_trace("x init\n"), HasSubstr("f.ti:1: found 'x'; expected a rank"));
  EXPECT_THAT(fault_of_trace("\n"), HasSubstr("found no actions"));
}

TEST(SmpiTrace, AFileMayListTheFilesOfTheRanks) {
  const test::TemporaryDirectory directory;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(directory.path() / name) << text;
    return directory.path() / name;
  };
  write("r0.txt", "0 init\n0 send 1 0 8 6\n");
  write("r1.txt", "1 init\n1 recv 0 0 8 6\n");
  const Program program = read_smpi_trace(write("list", "r0.txt\nr1.txt\n"));
  ASSERT_THAT(program.tasks, SizeIs(2));
  EXPECT_THAT(program.tasks[1].actions, SizeIs(2));
  EXPECT_THROW((void)read_smpi_trace(write("list", "r0.txt\nr2.txt\n")), EnvironmentError);
}

TEST(SmpiTrace, AWrittenTraceIsReadAsTheSameActions) {
  const std::string trace =
      "0 isend 1 1 8 6\n0 compute 2000000\n0 wait 0 1 1\n0 bcast 10 1 6\n0 barrier\n"
      "1 recv 0 1 8 6\n1 bcast 10 1 6\n1 barrier\n";
  const Program program = read_trace(trace);
  std::ostringstream out;
  EXPECT_EQ(write_smpi_trace(out, program), "");
  const std::string before = trace_actions(program);
  std::string after = trace_actions(read_trace(out.str()));
  EXPECT_EQ(after.replace(after.find("0 idle 0\n"), 9, "").replace(after.find("1 idle 0\n"), 9, ""), before);
}

Program read_program(const std::string& lines) {
  std::istringstream in("eventspace-actions 1\ntasks 4\n" + lines);
  return read_actions(in, "f.actions");
}

std::string trace_text(const Program& program) {
  std::ostringstream out;
  (void)write_smpi_trace(out, program);
  return out.str();
}

Picoseconds time_of(const Program& program) {
  const Network network{.name = "test", .kind = LogGpNetwork{.latency = 5'000'000, .per_byte = 1000}};
  require_consistent(program);
  const auto outcome = simulate(program, network, {});
  return outcome ? outcome->execution : 0;
}

// Each communicator of MPI is a group, also MPI_COMM_WORLD.
TEST(SmpiTrace, MessagesOfSeveralGroupsKeepApart) {
  const Program program = read_program(
      "group 1 0-3\ngroup 2 1,0\n"
      "0 send 1 8B tag 7 group 1\n0 send 1 16B tag 7 group 2\n0 end\n"
      "1 recv 0 16B tag 7 group 2\n1 recv 0 8B tag 7 group 1\n1 end\n2 end\n3 end\n");
  const std::string trace = trace_text(program);
  EXPECT_THAT(trace, HasSubstr("0 send 1 7 8\n0 send 1 0 16\n"));
  EXPECT_THAT(trace, HasSubstr("1 recv 0 0 16\n1 recv 0 7 8\n"));
  EXPECT_EQ(time_of(read_trace(trace)), time_of(program));
}

TEST(SmpiTrace, AnOperationOfAllTasksIsOneWhateverItsGroupIsCalledAndItsRootIsATask) {
  const Program program = read_program(
      "group 1 3,2,1,0\n0 bcast 10B group 1 root 1\n0 end\n1 bcast 10B group 1 root 1\n1 end\n"
      "2 bcast 10B group 1 root 1\n2 end\n3 bcast 10B group 1 root 1\n3 end\n");
  EXPECT_THAT(trace_text(program), HasSubstr("0 bcast 10 2\n"));
}

TEST(SmpiTrace, OperationsOfSomeTasksAreTheirMessagesAndTakeTheSameTime) {
  std::string lines = "group 1 0-3\ngroup 2 0,2\ngroup 3 1,3\n";
  for (int task = 0; task < 4; ++task) {
    const std::string start = std::to_string(task) + " ";
    const std::string group = " group " + std::to_string(2 + task % 2) + "\n";
    lines += start + "compute " + std::to_string(1 + task * 3 % 4) + "ms\n";
    for (const char* const operation : {"barrier", "bcast 3000B", "allreduce 100B", "alltoall 50B",
                                        "allgather 70B", "gather 90B", "reducescatter 64B", "scan 8B"})
      lines += start + operation + group;
    lines += start + "allreduce 8B group 1\n" + start + "end\n";
  }
  const Program program = read_program(lines);
  std::ostringstream out;
  EXPECT_EQ(write_smpi_trace(out, program),
            "collective operations of some tasks are written as their messages");
  EXPECT_EQ(time_of(read_trace(out.str())), time_of(program));
  EXPECT_GT(time_of(program), 0);
}

TEST(SmpiTrace, PartialReceivesAreRefusedBeforeAnythingIsWritten) {
  std::ostringstream out;
  const Program program = read_program(
      "0 send 1 8B\n0 end\n1 recv 0 4B partial\n1 recv 0 4B partial\n1 end\n"
      "2 end\n3 end\n");
  EXPECT_THROW((void)write_smpi_trace(out, program), ConfigurationError);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace eventspace::whatif
