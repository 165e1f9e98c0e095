// Unmodified MPI programs under `eventspace run`, with the MPI of MPI_NAME. `eventspace` preloads its
// library.
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <eventspace/error.h>
#include "monitors/running/message_library.h"
#include "tests/monitors/servers/mpi_programs.h"
#include "tests/tuplespace/temporary_directory.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::eventually;

TEST_F(MpiProgramTest, CallsAndBytesMatchASecondShimBehind) {
  set("LD_PRELOAD", COUNTING_SHIM);
  const auto found = expect_equal_counts(mpirun("talk"), "MPI_Comm_free", 4);
  EXPECT_EQ(found.at("MPI_Send").bytes, 33);
}

TEST_F(MpiProgramTest, CallsAndBytesMatchASecondShimInFront) {
  const std::string both = "LD_PRELOAD=" COUNTING_SHIM ":" MPI_LIBRARY;
  expect_equal_counts(mpirun("talk", {"env", both}), "MPI_Comm_free", 4, {"--mpi", "none"});
}

TEST_F(MpiProgramTest, EventsHaveSenderReceiverAndContents) {
  wait_at_file();
  Call program = run(mpirun("talk"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::vector<nlohmann::json> seen;
  EXPECT_TRUE(eventually([&] {
    seen = events();
    return std::ranges::count(seen, "MPI_Comm_free", [](const auto& event) { return event["call"]; }) == 4;
  }));
  go_on();
  EXPECT_EQ(program.status(), 0);
  std::map<std::string, std::set<std::string>> communicators;
  for (const auto& event : seen) {
    EXPECT_EQ(event["kind"], "mpi");
    if (event["communicator"].is_string()) communicators[event["call"]].insert(event["communicator"]);
    if (event["call"] == "MPI_Recv") {
      EXPECT_THAT(event["thread"].get<std::string>(), testing::EndsWith(".1"));
      EXPECT_EQ(event["partner"], 0);  // the receive was from any source
      EXPECT_EQ(event["tag"], 7);
      EXPECT_LE(event["bytes"], 12);  // its buffer had 64 bytes
    }
    if (event["call"] == "MPI_Bcast") {
      EXPECT_EQ(event["ordinal"], 1);
    }
  }
  const std::string split = "Comm_split of MPI_COMM_WORLD from rank ";
  EXPECT_EQ(communicators["MPI_Bcast"], (std::set<std::string>{split + "0 (1)", split + "1 (1)"}));
  // One identity in both processes: otherwise it would have a separate name in each.
  EXPECT_EQ(communicators["MPI_Allreduce"],
            (std::set<std::string>{"Comm_dup of MPI_COMM_WORLD from rank 0 (2)"}));
  EXPECT_EQ(communicators["MPI_Barrier"], (std::set<std::string>{"MPI_COMM_WORLD (2)"}));
}

TEST_F(MpiProgramTest, HeartbeatNamesTheRankThatIsStuckInAReceive) {
  wait_at_file();
  Call program = run(mpirun("stick"));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::string seen;
  EXPECT_TRUE(eventually([&] {
    seen = heartbeat();
    return seen.find("STALL absent: rank 0: ") != std::string::npos;
  })) << seen;
  EXPECT_THAT(seen, HasSubstr("1 rank waits: 1 in MPI_Recv from 0 tag 42 on MPI_COMM_WORLD (2) for"));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(MpiProgramTest, OutputAndExitStatusAreTheProgramsOwn) {
  for (const char* const word : {"talk", "exit", "abort"}) {
    const auto run_with = [&](const char* mpi) {
      Call program = run(mpirun(word), {"--mpi", mpi});
      return std::pair(program.status(), program.out());
    };
    EXPECT_EQ(run_with(MPI_NAME), run_with("none")) << word;
  }
}

TEST_F(MpiProgramTest, TheCallsOfAnAbortedProgramStay) {
  EXPECT_NE(run(mpirun("abort")).status(), 0);
  EXPECT_THAT(call({"events", "job", "--for", "300ms"}).out(), HasSubstr("MPI_Init"));
}

TEST_F(MpiProgramTest, AProgramWithoutMpiRunsUnchanged) {
  Call program = run({"sh", "-c", "echo out; echo err >&2; exit 7"}, {"--mpi", MPI_NAME});
  EXPECT_EQ(program.status(), 7);
  EXPECT_EQ(program.out(), "out\n");
  EXPECT_THAT(program.err(), testing::StartsWith("err\neventspace: no call of MPI was recorded: "));
}

TEST_F(MpiProgramTest, WithoutASessionTheProgramRunsUnrecorded) {
  set("EVENTSPACE_VERBOSE", "1");
  Call program = run(mpirun("talk", {"env", "-u", "EVENTSPACE_SESSION", "LD_PRELOAD=" MPI_LIBRARY}));
  EXPECT_EQ(program.status(), 0);
  EXPECT_THAT(program.out(), HasSubstr("sum 1"));
  EXPECT_THAT(program.err(), HasSubstr("EVENTSPACE_SESSION is not set"));
}

TEST_F(MpiProgramTest, AFunctionThatIsDefinedBeforeTheLibraryIsReported) {
  set("EVENTSPACE_VERBOSE", "1");
  const std::string both = "LD_PRELOAD=" COUNTING_SHIM ":" MPI_LIBRARY;
  Call program = run(mpirun("exit", {"env", both}), {"--mpi", "none"});
  EXPECT_EQ(program.status(), 3);
  EXPECT_THAT(program.err(), HasSubstr("is also defined in " COUNTING_SHIM ", before the recording library"));
}

#ifdef OTHER_LIBRARY
TEST_F(MpiProgramTest, TheLibraryOfTheOtherMpiLetsCallsPass) {
  const Words with_other = mpirun("talk", {"env", "LD_PRELOAD=" OTHER_LIBRARY});
  Call silent = run(with_other, {"--mpi", "none"});
  EXPECT_EQ(silent.status(), 0) << silent.err();
  EXPECT_EQ(silent.out(), "sum 1\n");
  EXPECT_EQ(silent.err(), "");
  set("EVENTSPACE_VERBOSE", "1");
  Call verbose = run(with_other, {"--mpi", "none"});
  EXPECT_EQ(verbose.status(), 0) << verbose.err();
  EXPECT_THAT(verbose.err(), HasSubstr("use `eventspace run --mpi " MPI_NAME "`"));
}
#endif

TEST(MpiLibrary, TheMpiOfACommandIsThatOfItsLauncherOrProgram) {
  const MessageLibrary own = message_library_named(MPI_NAME);
  EXPECT_EQ(detect_message_library({MPIRUN, "-np", "2", "true"}), own);
  EXPECT_EQ(detect_message_library({"env", "A=1", MPIRUN, "true"}), own);
  EXPECT_EQ(detect_message_library({MPI_APP}), own);
  EXPECT_EQ(detect_message_library({"true", "2"}), MessageLibrary::none);
  EXPECT_FALSE(find_static_program({MPIRUN, "-np", "2", MPI_APP}));
  EXPECT_EQ(find_preloaded_library(MessageLibrary::none, {MPIRUN}), std::nullopt);
  EXPECT_THROW((void)message_library_named("lam"), ConfigurationError);
}

// Functions of mpi.h that are neither recorded nor listed as not recorded.
TEST(MpiLibrary, EachFunctionIsRecordedOrTheReasonIsReported) {
  const test::TemporaryDirectory directory;
  const std::string list = directory.path() / "uncovered";
  ASSERT_EQ(std::system((GENERATE_WRAPPERS " --uncovered " PREPROCESSED " > " + list).c_str()), 0);  // NOLINT
  std::vector<std::string> globs;
  for (const std::string& line : testing_commands::lines_of(testing_commands::read_text(UNCOVERED)))
    if (!line.starts_with('#')) globs.push_back(line.substr(0, line.find(' ')));
  const auto functions = testing_commands::lines_of(testing_commands::read_text(list));
  EXPECT_GT(functions.size(), 100u);
  for (const std::string& function : functions) {
    EXPECT_TRUE(std::ranges::any_of(globs, [&](const std::string& glob) {
      return ::fnmatch(glob.c_str(), function.c_str(), 0) == 0;
    })) << function;
  }
}

}  // namespace
}  // namespace eventspace
