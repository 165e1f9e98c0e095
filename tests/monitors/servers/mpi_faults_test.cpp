// Programs and machines with faults or unusual properties, with the MPI of MPI_NAME: their recorded events,
// and that recording changes nothing for them.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/lines.h"
#include "tests/monitors/servers/mpi_programs.h"
#include "tests/tuplespace/second_user.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::eventually;
using Json = nlohmann::json;

class MpiFaultsTest : public MpiProgramTest {
 protected:
  static Words faulty(const std::string& word) { return mpirun(word, {}, MPI_FAULT_APP); }
  /// The calls of both ranks of a program that runs to its end, by function, when there are `calls` of
  /// `last`.
  std::map<std::string, std::vector<Json>> calls_of(const std::string& word, const char* last,
                                                    std::ptrdiff_t calls, std::string* out = nullptr) {
    wait_at_file();
    Call program = run(faulty(word));
    EXPECT_TRUE(program.says("ready")) << program.err();
    std::vector<Json> seen;
    EXPECT_TRUE(eventually([&] {
      seen = events();
      return std::ranges::count(seen, last, [](const Json& event) { return event["call"]; }) == calls;
    }));
    go_on();
    EXPECT_EQ(program.status(), 0) << program.err();
    if (out != nullptr) *out = program.out();
    std::map<std::string, std::vector<Json>> by_call;
    for (Json& event : seen) by_call[event["call"]].push_back(std::move(event));
    return by_call;
  }
};

// The processes at the other end are unknown, so the communicator does not have an identity that both share.
TEST_F(MpiFaultsTest, ACommunicatorOfAConnectionIsAnother) {
  set("SOCKET", file("socket"));
  Call first = run(faulty("join"), {"--mpi", "none"});
  EXPECT_EQ(first.status(), 0) << first.err();
  if (first.out() == "this MPI cannot join\n")
    GTEST_SKIP() << "MPICH over UCX has no ports, and so no MPI_Comm_join";
  std::filesystem::remove(file("socket"));
  auto calls = calls_of("join", "MPI_Barrier", 6);
  ASSERT_EQ(calls["MPI_Sendrecv"].size(), 2u);
  for (const Json& call : calls["MPI_Sendrecv"]) {
    EXPECT_EQ(call["communicator"], "(another communicator)");
    EXPECT_EQ(call["tag"], 8);
  }
  EXPECT_EQ(calls["MPI_Comm_disconnect"].size(), 2u);
  EXPECT_EQ(calls["MPI_Barrier"].back()["communicator"], "MPI_COMM_WORLD (2)");
}

TEST_F(MpiFaultsTest, ACommunicatorOfAnAcceptedConnectionIsAnother) {
  Call first = run(faulty("accept"), {"--mpi", "none"});
  if (first.status() != 0 || first.out() == "this MPI has no ports\n")
    GTEST_SKIP() << "this MPI connects no processes by ports here: " << first.err();
  auto calls = calls_of("accept", "MPI_Barrier", 4);
  ASSERT_EQ(calls["MPI_Sendrecv"].size(), 2u);
  for (const Json& call : calls["MPI_Sendrecv"]) EXPECT_EQ(call["communicator"], "(another communicator)");
  EXPECT_EQ(calls["MPI_Comm_disconnect"].size(), 2u);
  EXPECT_EQ(calls["MPI_Barrier"].back()["communicator"], "MPI_COMM_WORLD (2)");
}

TEST_F(MpiFaultsTest, AHundredThousandCommunicatorsTakeNoMoreMemoryThanTenThousand) {
  std::string out;
  auto calls = calls_of("crowd", "MPI_Barrier", 2, &out);
  EXPECT_LT(std::stol(out), 2048) << out;  // "N KiB more", before "ready"
  // The first ones have names; the last one has none, and also not another's.
  ASSERT_EQ(calls["MPI_Bcast"].size(), 2u);
  for (const Json& call : calls["MPI_Bcast"]) EXPECT_EQ(call["communicator"], "?");
  EXPECT_EQ(calls["MPI_Barrier"][0]["communicator"], "MPI_COMM_WORLD (2)");
}

TEST_F(MpiFaultsTest, AReductionOfTheProgramMayCallMpi) {
  std::string out;
  auto calls = calls_of("reduce", "MPI_Barrier", 2, &out);
  EXPECT_THAT(out, HasSubstr("sum 2\n"));
  EXPECT_EQ(calls["MPI_Allreduce"].size(), 10u);
  EXPECT_FALSE(calls.contains("MPI_Send"));  // inside another call
}

TEST_F(MpiFaultsTest, AnErrorHandlerMayCallMpi) {
  std::string out;
  auto calls = calls_of("handle", "MPI_Barrier", 2, &out);
  EXPECT_THAT(out, HasSubstr("errors 3\n"));
  ASSERT_EQ(calls["MPI_Send"].size(), 6u);  // without nested ones
  for (const Json& call : calls["MPI_Send"]) EXPECT_FALSE(call["error"].is_null());
}

// A profiler below the library gets all arguments.
TEST_F(MpiFaultsTest, PhasesOfTheProgramAreThoseOfTheProfile) {
  set("LD_PRELOAD", COUNTING_SHIM);
  set("COUNTS", file("counts"));
  wait_at_file();
  Call program = run(faulty("phases"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::set<std::string>> phases;
  EXPECT_TRUE(eventually([&] {
    phases.clear();
    const std::string rows =
        call({"profile", "job", "--table", "phases", "--format", "json", "--quiet"}).out();
    for (const Json& row : testing_commands::objects_in(rows))
      if (row["calls"] >= 2 || row["phase"] == "-") phases[row["phase"]].insert(row["thread"]);
    return phases["77"].size() == 2;
  }));
  for (const char* const phase : {"-", "2", "3"}) EXPECT_EQ(phases[phase].size(), 2u) << phase;
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(testing_commands::read_text(file("counts.pcontrol.0")), "text 2.5 9");
  EXPECT_EQ(testing_commands::read_text(file("counts.pcontrol.1")), "text 2.5 9");
}

// For monitors, probes and calls of a thread belong to one thread.
TEST_F(MpiFaultsTest, RegionsOfTheProgramAreThePhasesOfItsCalls) {
  wait_at_file();
  Call program = run(faulty("regions"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::vector<Json>> rows;
  EXPECT_TRUE(eventually([&] {
    rows.clear();
    const std::string out =
        call({"profile", "job", "--table", "phases", "--format", "json", "--quiet"}).out();
    for (const Json& row : testing_commands::objects_in(out)) rows[row["phase"]].push_back(row);
    return rows["-"].size() == 2 && rows["-"][0]["calls"] >= 2 && rows["-"][1]["calls"] >= 2;
  }));
  const std::string app = std::filesystem::path(MPI_FAULT_APP).filename();
  for (const auto& [phase, calls] : {std::pair("step", 1), std::pair("solve", 3)}) {
    ASSERT_EQ(rows[phase].size(), 2u) << phase;
    for (const Json& row : rows[phase]) {
      EXPECT_EQ(row["calls"], calls) << phase;
      EXPECT_THAT(row["thread"].get<std::string>(), testing::StartsWith(app + ".")) << phase;
    }
  }
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(MpiFaultsTest, AProgramKilledByASignalKeepsItsStatusOutputAndCalls) {
  const auto run_with = [&](const char* mpi) {
    Call program = run(faulty("signal"), {"--mpi", mpi});
    const int status = program.status();
    return std::pair(status, program.out().substr(0, program.out().find("\n\n")));
  };
  const auto recorded = run_with(MPI_NAME);
  EXPECT_EQ(recorded.first, run_with("none").first);
  EXPECT_THAT(recorded.second, HasSubstr("before"));  // lines of two ranks may be joined
  EXPECT_THAT(call({"events", "job", "--for", "300ms"}).out(), HasSubstr("MPI_Barrier"));
}

// A file system without room for a segment, in a separate mount namespace for the job.
TEST_F(MpiFaultsTest, WithFullSharedMemoryTheProgramRunsWithOneMessage) {
  if (::geteuid() != 0 || std::system("unshare -m true 2> /dev/null") != 0)
    GTEST_SKIP() << "this user cannot mount a small file system here";
  std::filesystem::create_directory(file("small"));
  set("EVENTSPACE_SHM_DIR", file("small"));
  Words command{
      "unshare", "-m", "sh", "-c", R"(mount -t tmpfs -o size=8k none "$EVENTSPACE_SHM_DIR" && exec "$@")",
      "sh"};
  for (const std::string& word : mpirun("talk")) command.push_back(word);
  Call program = run(command);
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("sum 1"));
  EXPECT_EQ(test::lines_of(program.err()).size(), 1u) << program.err();
  EXPECT_THAT(program.err(), HasSubstr("recorded: cannot reserve"));
}

// Open MPI leaves such files when a job is killed; so does this library.
TEST_F(MpiFaultsTest, OnlyOwnFilesOfKilledJobsAreRemoved) {
  const auto others = file("shm") / "vader_segment.desk.0.7";
  std::ofstream(others) << "not ours";
  wait_at_file();
  Call first = run(mpirun("talk"));
  ASSERT_TRUE(first.says("ready")) << first.err();
  for (const int rank : processes_with(MPI_APP)) ::kill(rank, SIGKILL);
  EXPECT_NE(first.status(), 0);
  EXPECT_THAT(call({"ls", "job"}).out(), HasSubstr("dead"));
  go_on();
  Call second = run(mpirun("talk"));
  EXPECT_EQ(second.status(), 0) << second.err();
  EXPECT_EQ(call({"segments", "--remove"}).status(), 0);
  EXPECT_THAT(call({"ls"}).out(), Not(HasSubstr("job")));
  EXPECT_EQ(testing_commands::read_text(others), "not ours");
}

TEST_F(MpiFaultsTest, AServerThatIsKilledAndStartedAgainChangesNothingForTheJob) {
  wait_at_file();
  Call program = run(mpirun("talk"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  for (int i = 0; i < 2; ++i) {
    Call server = start({"serve", "--session", "job"});
    ASSERT_TRUE(server.says("serving session job")) << server.err();
    EXPECT_THAT(heartbeat(), HasSubstr("2 threads"));
    server.signal(SIGKILL);
    EXPECT_EQ(server.status(), -SIGKILL);
    EXPECT_THAT(heartbeat(), HasSubstr("2 threads"));
  }
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("sum 1"));
}

// Both call their sessions "job", and share the directory for segments.
TEST_F(MpiFaultsTest, JobsOfTwoUsersDoNotMeet) {
  if (!test::SecondUser::possible()) GTEST_SKIP() << test::SecondUser::why_not;
  const auto shared = file("shared");
  std::filesystem::create_directory(shared);
  ::chmod(file("").c_str(), 0711);
  ::chmod(shared.c_str(), 01777);
  set("EVENTSPACE_SHM_DIR", shared);
  set("HOME", shared);
  set("OMPI_MCA_btl_vader_backing_directory", shared);
  wait_at_file();
  const std::string id = std::to_string(test::SecondUser::id);
  Words theirs{"run", "--session", "job", "--"};
  for (const std::string& word : mpirun("large")) theirs.push_back(word);
  Call other = start(theirs, {"setpriv", "--reuid", id, "--regid", id, "--clear-groups"});
  Call own = run(mpirun("talk"));
  ASSERT_TRUE(other.says("ready")) << other.err();
  ASSERT_TRUE(own.says("ready")) << own.err();
  EXPECT_TRUE(eventually([&] { return recorded().contains("MPI_Comm_split"); }));
  for (const Json& event : events()) EXPECT_NE(event["bytes"], 5000LL << 20);
  Call look =
      start({"events", "job", "--for", "300ms"}, {"setpriv", "--reuid", id, "--regid", id, "--clear-groups"});
  EXPECT_EQ(look.status(), 0) << look.err();
  EXPECT_THAT(look.out(), AllOf(HasSubstr("MPI_Barrier"), Not(HasSubstr("MPI_Comm_split"))));
  go_on();
  EXPECT_EQ(own.status(), 0) << own.err();
  EXPECT_EQ(other.status(), 0) << other.err();
  std::error_code ignored;
  std::filesystem::remove_all("/tmp/eventspace-" + id, ignored);
}

}  // namespace
}  // namespace eventspace
