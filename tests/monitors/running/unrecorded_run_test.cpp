// The message of `eventspace run` at the end of a command whose calls of MPI were not recorded; it is the
// only message. With the MPI of MPI_NAME.
#include "monitors/running/unrecorded_calls.h"
#include "tests/lines.h"
#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* library = "libeventspace-" MPI_NAME ".so";

class UnrecordedRunTest : public MpiProgramTest {
 protected:
  /// The single line that `run` writes; the command writes none.
  std::string said_by_run(const Words& command, const Words& options = {"--mpi", MPI_NAME}) {
    Call call = run(command, options);
    EXPECT_EQ(call.status(), 0) << call.err();
    const auto lines = test::lines_of(call.err());
    EXPECT_EQ(lines.size(), 1u) << call.err();
    return lines.empty() ? "" : lines.front();
  }
};

TEST_F(UnrecordedRunTest, ARecordedProgramCausesNoMessage) {
  Call call = run(mpirun("talk"));
  EXPECT_EQ(call.status(), 0);
  EXPECT_EQ(call.err(), "");
}

TEST_F(UnrecordedRunTest, AProgramWithAddressSanitizerRunsAndIsRecorded) {
  if (std::string(ASAN_APP).empty()) GTEST_SKIP() << "the compiler has no AddressSanitizer";
  set("ASAN_OPTIONS", "detect_leaks=0");  // MPI leaks memory
  Call call = run(mpirun("talk", {}, ASAN_APP));
  EXPECT_EQ(call.status(), 0);
  EXPECT_EQ(call.err(), "");
}

TEST_F(UnrecordedRunTest, OptionsOfTheUserForAddressSanitizerHold) {
  set("ASAN_OPTIONS", "verify_asan_link_order=1");
  Call call = run({"env"}, {"--mpi", MPI_NAME});
  EXPECT_EQ(call.status(), 0);
  EXPECT_THAT(call.out(), HasSubstr("ASAN_OPTIONS=verify_asan_link_order=0:verify_asan_link_order=1\n"));
}

TEST_F(UnrecordedRunTest, ACommandWithoutMpiIsReported) {
  EXPECT_THAT(said_by_run({"true"}), AllOf(StartsWith("eventspace: no call of MPI was recorded: no process"),
                                           HasSubstr(library), HasSubstr("link it dynamically")));
}

TEST_F(UnrecordedRunTest, AProgramThatNeverInitialisesMpiIsReported) {
  EXPECT_THAT(said_by_run(mpirun("never")), HasSubstr("has called MPI_Init"));
}

TEST_F(UnrecordedRunTest, AnEnvironmentThatTheLauncherDoesNotForwardIsNamed) {
  EXPECT_THAT(said_by_run(mpirun("talk", {"env", "-u", "LD_PRELOAD"})),
              HasSubstr("mpirun -x LD_PRELOAD -x EVENTSPACE_SESSION"));
}

TEST_F(UnrecordedRunTest, WhereSharedMemoryIsForbiddenThereIsOneMessageForAllRanks) {
  set("EVENTSPACE_SHM_DIR", "/proc/self/nothing");
  EXPECT_THAT(said_by_run(mpirun("talk")), AllOf(StartsWith("eventspace: no call of MPI was recorded: "),
                                                 HasSubstr("/proc/self/nothing")));
}

TEST_F(UnrecordedRunTest, AStaticallyLinkedProgramIsReportedBeforeItRuns) {
  EXPECT_THAT(said_by_run({STATIC_MPI_APP}), HasSubstr(" is linked statically with MPI"));
}

TEST_F(UnrecordedRunTest, AProgramThatLoadsMpiByDlopenIsReported) {
  const char* const mpi = std::string(MPI_NAME) == "mpich" ? "libmpich.so.12" : "libmpi.so.40";
  EXPECT_THAT(said_by_run(mpirun(mpi, {}, DLOPEN_MPI_APP)),
              AllOf(StartsWith("eventspace: no call of MPI was recorded: "),
                    HasSubstr("loads MPI with dlopen and dlsym"), HasSubstr("link the caller with MPI")));
}

TEST_F(UnrecordedRunTest, APlugInThatIsLinkedWithMpiIsRecordedInAProgramThatIsNot) {
  Call program = run(mpirun(MPI_PLUGIN, {}, DLOPEN_MPI_APP), {"--record", file("job.evs").string()});
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.err(), testing::Not(HasSubstr("was recorded: ")));
  std::map<std::string, int> calls;
  for (const auto& event :
       testing_commands::objects_in(call({"events", file("job.evs"), "--format", "json", "--quiet"}).out()))
    ++calls[event["call"]];
  for (const char* const function : {"MPI_Allreduce", "MPI_Barrier", "MPI_Finalize"})
    EXPECT_EQ(calls[function], 2) << function << " of each of two processes";
}

#ifdef OTHER_LIBRARY
TEST_F(UnrecordedRunTest, AProgramOfTheOtherMpiIsReported) {
  const std::string other = std::string(MPI_NAME) == "mpich" ? "openmpi" : "mpich";
  EXPECT_THAT(said_by_run(mpirun("talk"), {"--mpi", other}),
              AllOf(HasSubstr("of another MPI"), HasSubstr("choose the right MPI with --mpi")));
}
#endif

TEST(UnrecordedCalls, TheNumberOfUnrecordedProcessesIsReported) {
  RunReport::Counts counts{.loaded = 9, .has_library = 8, .joined = 6, .failed = 2, .why = "no room"};
  EXPECT_EQ(why_unrecorded(counts, library), "the calls of MPI of 2 processes were not recorded: no room");
  counts.failed = 0;
  EXPECT_EQ(why_unrecorded(counts, library), std::nullopt);
}

TEST(UnrecordedCalls, ALibraryThatNoProcessHasLoadedIsReported) {
  EXPECT_THAT(*why_unrecorded({}, library), HasSubstr("has loaded libeventspace-"));
}

// An invalid report, or the report of another run that has ended, is ignored.
TEST_F(UnrecordedRunTest, AMissingOrDamagedReportDoesNotAffectTheProgram) {
  for (const std::string& report : {write("damaged", std::string(512, 'x')).string(), file("gone").string(),
                                    file("").string(), std::string("/dev/zero")}) {
    Call call = run(mpirun("talk", {"env", "EVENTSPACE_RUN_REPORT=" + report}));
    EXPECT_EQ(call.status(), 0) << report;
    EXPECT_EQ(call.out(), "sum 1\n") << report;
  }
  EXPECT_EQ(testing_commands::read_text(file("damaged")), std::string(512, 'x'));
}

}  // namespace
}  // namespace eventspace
