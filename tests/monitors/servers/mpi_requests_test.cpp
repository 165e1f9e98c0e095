// The records of requests, communicators and places in the program, with the MPI of MPI_NAME.
#include <filesystem>

#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_commands::eventually;
using Json = nlohmann::json;

class MpiRequestsProgramTest : public MpiProgramTest {
 protected:
  /// The events of rank 0 when both processes have made `calls` calls of `last`, by function, in their order.
  /// `csv`: gets the events of both ranks as CSV.
  std::map<std::string, std::vector<Json>> calls_of_rank_0(const char* word, const char* last,
                                                           std::ptrdiff_t calls, std::string* csv = nullptr) {
    wait_at_file();
    Call program = run(mpirun(word));
    EXPECT_TRUE(program.says("ready")) << program.err();
    std::vector<Json> seen;
    EXPECT_TRUE(eventually([&] {
      seen = events();
      return std::ranges::count(seen, last, [](const Json& event) { return event["call"]; }) == calls;
    }));
    if (csv != nullptr) *csv = call({"events", "job", "--format", "csv", "--quiet", "--for", "300ms"}).out();
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    std::map<std::string, std::vector<Json>> by_call;
    for (Json& event : seen) {
      if (event["thread"].get<std::string>().ends_with(".0"))
        by_call[event["call"]].push_back(std::move(event));
    }
    return by_call;
  }
};

TEST_F(MpiRequestsProgramTest, ACompletionHasItsRequestAndTheReceivedMessage) {
  auto calls = calls_of_rank_0("ask", "MPI_Bcast", 2);
  const auto& waits = calls["MPI_Wait"];
  ASSERT_EQ(waits.size(), 4u);
  EXPECT_EQ(waits[0]["request"], calls["MPI_Irecv"][0]["request"]);
  EXPECT_EQ(waits[0]["partner"], 1);  // it was from any source
  EXPECT_EQ(waits[0]["tag"], 9);
  EXPECT_EQ(waits[0]["bytes"], 5);  // there was room for more
  EXPECT_EQ(waits[0]["requests"], 1);
  EXPECT_EQ(waits[1]["communicator"], "MPI_COMM_WORLD (2)");  // the barrier
  EXPECT_EQ(waits[2]["tag"], 31);
  const auto& any = calls["MPI_Waitany"];
  ASSERT_EQ(any.size(), 1u);
  EXPECT_EQ(any[0]["requests"], 2);
  EXPECT_EQ(any[0]["bytes"], any[0]["tag"] == 20 ? 10 : 11);
  const auto& all = calls["MPI_Waitall"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["requests"], 1);
  EXPECT_NE(all[0]["request"], any[0]["request"]);
  // Persistent requests keep their numbers.
  EXPECT_EQ(all[1]["request"], all[2]["request"]);
  EXPECT_EQ(calls["MPI_Startall"][0]["request"], calls["MPI_Send_init"][0]["request"]);
  EXPECT_EQ(calls["MPI_Startall"][0]["tag"], 30);
  EXPECT_EQ(calls["MPI_Alltoallv"][0]["bytes"], 12);
  EXPECT_EQ(calls["MPI_Alltoallv"][0]["request"], nullptr);
  EXPECT_EQ(calls["MPI_Ibarrier"][0]["ordinal"], 1);
}

TEST_F(MpiRequestsProgramTest, FilesAreReadAndWrittenWithTheirBytes) {
  set("MPI_FILE", file("data"));
  auto calls = calls_of_rank_0("use_file", "MPI_File_close", 2);
  EXPECT_EQ(std::filesystem::file_size(file("data")), 2052u);
  const auto expect = [&](const char* call, const char* of, int bytes) {
    ASSERT_EQ(calls[call].size(), 1u) << call;
    EXPECT_EQ(calls[call][0]["verb"], of) << call;
    EXPECT_EQ(calls[call][0]["bytes"], bytes) << call;
  };
  expect("MPI_File_open", "file", 0);
  expect("MPI_File_write_at", "output", 1000);
  expect("MPI_File_iwrite_at", "output", 10);
  expect("MPI_File_write_at_all", "output", 8);
  expect("MPI_File_write_at_all_begin", "output", 8);
  expect("MPI_File_write_at_all_end", "file", 0);
  expect("MPI_File_sync", "file", 0);
  expect("MPI_File_read_at", "input", 32);  // it requested more than was left
  expect("MPI_File_close", "file", 0);
  EXPECT_EQ(calls["MPI_File_open"][0]["communicator"], "MPI_COMM_WORLD (2)");
  // Calls that MPI makes inside of these are not the program's.
  EXPECT_EQ(calls["MPI_Barrier"].size(), 1u);
  EXPECT_EQ(calls["MPI_Allreduce"].size(), 0u);
  if (const auto& request = calls["MPI_File_iwrite_at"][0]["request"]; !request.is_null()) {
    EXPECT_EQ(calls["MPI_Wait"][0]["request"], request);
  }
}

// How many calls are represented by the events with the same place as the first.
std::int64_t calls_at_the_place_of_the_first(const std::vector<Json>& events) {
  std::int64_t calls = 0;
  for (const Json& event : events)
    if (event["site"] == events.front()["site"])
      calls += event["calls"].is_null() ? 1 : event["calls"].get<int>();
  return calls;
}

TEST_F(MpiRequestsProgramTest, CallsThatFindNothingAreRecordedTogether) {
  auto calls = calls_of_rank_0("poll", "MPI_Barrier", 4);
  const auto& tests = calls["MPI_Test"];
  ASSERT_GT(tests.size(), 2u);
  EXPECT_LT(tests.size(), 500u);
  EXPECT_EQ(tests.front()["verb"], "complete");
  EXPECT_EQ(tests[1]["verb"], "look");
  EXPECT_EQ(tests[1]["bytes"], nullptr);
  EXPECT_EQ(calls_at_the_place_of_the_first(tests), 1000);
  // The test that found it complete.
  EXPECT_EQ(tests.back()["verb"], "complete");
  EXPECT_EQ(tests.back()["tag"], 50);
  EXPECT_EQ(tests.back()["bytes"], 1);
  EXPECT_EQ(tests.back()["request"], calls["MPI_Irecv"][0]["request"]);
  const auto& probes = calls["MPI_Iprobe"];
  EXPECT_EQ(calls_at_the_place_of_the_first(probes), 1000);
  for (const Json& probe : probes) EXPECT_EQ(probe["tag"], 51);
}

TEST_F(MpiRequestsProgramTest, CommunicatorsAreCalledAsTheProgramCallsThem) {
  auto calls = calls_of_rank_0("ask", "MPI_Bcast", 2);
  EXPECT_EQ(calls["MPI_Barrier"].back()["communicator"], "reversed (2)");
  // Its members are in the order of their ranks; the name shows the first one.
  EXPECT_EQ(calls["MPI_Bcast"].back()["communicator"], "Comm_idup of reversed from rank 1 (2)");
}

TEST_F(MpiRequestsProgramTest, ACallHasItsPlaceInTheProgram) {
  std::string csv;
  auto calls = calls_of_rank_0("talk", "MPI_Comm_free", 4, &csv);
  std::set<std::string> sites;
  for (const Json& event : calls["MPI_Allreduce"]) sites.insert(event["site"]);
  EXPECT_EQ(sites.size(), 1u);  // a loop
#ifdef EVENTSPACE_HAS_DW
  EXPECT_THAT(*sites.begin(), testing::MatchesRegex("talk \\(mpi_app.c:[0-9]+\\)"));
#else
  EXPECT_THAT(*sites.begin(), HasSubstr("mpi_app_" MPI_NAME));
#endif
  EXPECT_THAT(csv, HasSubstr("," + *sites.begin() + ","));
  EXPECT_NE(calls["MPI_Bcast"][0]["site"], *sites.begin());
}

TEST_F(MpiRequestsProgramTest, HeartbeatNamesTheRanksThatWaitallWaitsFor) {
  wait_at_file();
  Call program = run(mpirun("await"));
  // Rank 1 waits at the file without a message.
  std::string seen;
  EXPECT_TRUE(eventually([&] {
    seen = heartbeat();
    return seen.find("MPI_Waitall") != std::string::npos;
  })) << seen;
  EXPECT_THAT(seen,
              HasSubstr("0 in MPI_Waitall for all of 3: from 1 tag 77, from 1 tag 78, from any tag 79 on "
                        "MPI_COMM_WORLD (2) for"));
  // A call in flight is not yet an event, although some of its records exist.
  for (const auto& event : events()) EXPECT_NE(event["call"], "MPI_Waitall");
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(MpiRequestsProgramTest, CommunicatorsAndRequestsWithoutEndAreBounded) {
  auto calls = calls_of_rank_0("many", "MPI_Barrier", 2);
  ASSERT_EQ(calls["MPI_Wait"].size(), 2u);
  EXPECT_EQ(calls["MPI_Wait"][0]["tag"], 6);
  EXPECT_EQ(calls["MPI_Wait"][1]["tag"], nullptr);  // MPI_REQUEST_NULL
}

TEST_F(MpiRequestsProgramTest, ACommunicatorOfTwoGroupsHasOneNameOnBothSides) {
  auto calls = calls_of_rank_0("join", "MPI_Comm_free", 2);
  EXPECT_EQ(calls["MPI_Allreduce"][0]["communicator"], "Intercomm_create of two groups from rank 0 (2)");
  EXPECT_EQ(calls["MPI_Alltoallv"][0]["bytes"], 12);  // to the single process of the other group
  EXPECT_EQ(calls["MPI_Barrier"][0]["communicator"],
            "Intercomm_merge of Intercomm_create of two groups from rank 0 from rank 0 (2)");
  EXPECT_EQ(calls["MPI_Comm_disconnect"].size(), 1u);
}

TEST_F(MpiRequestsProgramTest, BytesBeyondFourGibiAreCounted) {
  auto calls = calls_of_rank_0("large", "MPI_Barrier", 2);
  EXPECT_EQ(calls["MPI_Send"][0]["bytes"], 5000LL << 20);
  if (std::string(MPI_NAME) == "mpich") {
    EXPECT_EQ(calls["MPI_Send_c"][0]["bytes"], 3'000'000'000);
  }
}

// Not with MPICH, which spawns processes only where its launcher can start new ones.
TEST_F(MpiRequestsProgramTest, SpawnedProcessesHaveNamesOfTheirOwnJob) {
  if (std::string(MPI_NAME) != "openmpi") return;
  wait_at_file();
  Call program = run(mpirun("spawn"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::string> barriers;  // by thread
  EXPECT_TRUE(eventually([&] {
    barriers.clear();
    for (const Json& event : events())
      if (event["call"] == "MPI_Barrier") barriers[event["thread"]] = event["communicator"];
    return barriers.size() == 4;
  }));
  const std::string app = "mpi_app_" MPI_NAME ".";
  for (const char* const rank : {"0", "1"}) {
    EXPECT_EQ(barriers[app + rank], "MPI_COMM_WORLD (2)");
    EXPECT_EQ(barriers[app + "2:" + rank], "MPI_COMM_WORLD of job 2 (2)");
  }
  EXPECT_THAT(call({"ls", "job"}).out(), HasSubstr(app + "2:1"));
  EXPECT_THAT(heartbeat(), testing::Not(HasSubstr("STALL"))) << "all wait for the file";
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(MpiRequestsProgramTest, TwoJobsAtOnceAreTwoSessions) {
  wait_at_file();
  Call one = run(mpirun("talk"));
  Words words{"run", "--session", "other", "--"};
  for (const std::string& word : mpirun("large")) words.push_back(word);
  Call other = start(words);
  ASSERT_TRUE(one.says("ready")) << one.err();
  ASSERT_TRUE(other.says("ready")) << other.err();
  EXPECT_TRUE(eventually([&] { return recorded().contains("MPI_Comm_split"); }));
  const std::string of_other = call({"events", "other", "--for", "300ms"}).out();
  EXPECT_THAT(of_other, AllOf(HasSubstr("MPI_Barrier"), testing::Not(HasSubstr("MPI_Comm_split"))));
  go_on();
  EXPECT_EQ(one.status(), 0) << one.err();
  EXPECT_EQ(other.status(), 0) << other.err();
}

TEST_F(MpiRequestsProgramTest, WithoutSharedMemoryTheProgramRunsUnrecorded) {
  set("EVENTSPACE_VERBOSE", "1");
  Words command = mpirun("talk", {"env", "EVENTSPACE_SHM_DIR=/proc/self/nothing"});
  Call program = run(command);
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("sum 1"));
  EXPECT_THAT(program.err(), HasSubstr("calls of MPI are not recorded"));
}

TEST_F(MpiRequestsProgramTest, AProgramThatExecutesAnotherIsRecordedAsThatProgram) {
  set("LD_PRELOAD", COUNTING_SHIM);
  expect_equal_counts(mpirun("exec"), "MPI_Comm_free", 4);
}

}  // namespace
}  // namespace eventspace
