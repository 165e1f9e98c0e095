// Programs in C++ and Fortran, in each of its bindings, with the MPI of MPI_NAME.
#include <filesystem>

#include "tests/monitors/servers/mpi_programs.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::eventually;

class MpiLanguagesTest : public MpiProgramTest {
 protected:
  /// The programs of the list "A:B:C" that CMake has made.
  static Words programs() {
    Words all;
    std::istringstream list(MPI_APPS_FORTRAN);
    for (std::string one; std::getline(list, one, ':');) all.push_back(one);
    return all;
  }
};

TEST_F(MpiLanguagesTest, EachFortranBindingIsCountedAsTheShimCounts) {
  if (programs().empty()) GTEST_SKIP() << "there is no Fortran compiler";
  for (const std::string& program : programs()) {
    SCOPED_TRACE(program);
    set("LD_PRELOAD", COUNTING_SHIM);
    const auto found = expect_equal_counts(mpirun("", {}, program.c_str()), "MPI_Comm_free", 2);
    EXPECT_EQ(found.at("MPI_Isend").bytes, 16);
    EXPECT_EQ(found.at("MPI_Send").calls, 1);
    for (const char* const left : {"go", "counts.0", "counts.1"}) std::filesystem::remove(file(left));
    ::unsetenv("LD_PRELOAD");
    EXPECT_TRUE(eventually([&] { return events().empty(); }));
  }
}

TEST_F(MpiLanguagesTest, ThreadsThatCallMpiConcurrentlyAreRecordedSeparately) {
  set("LD_PRELOAD", COUNTING_SHIM);
  const Counts found = expect_equal_counts(mpirun("threads", {}, MPI_APP_CPP), "MPI_Isend", 2400);
  EXPECT_EQ(found.at("MPI_Isend").bytes, 9600);
  EXPECT_EQ(found.at("MPI_Waitall").calls, 1200);
}

// Each completion has the partner, tag and bytes of its own request, although threads share the table.
TEST_F(MpiLanguagesTest, ThreadsDoNotMixUpTheirRequests) {
  wait_at_file();
  Call program = run(mpirun("threads", {}, MPI_APP_CPP));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::set<std::int64_t>> tags_of;
  std::size_t known = 0;
  EXPECT_TRUE(eventually([&] {
    tags_of.clear();
    known = 0;
    std::size_t waits = 0;
    for (const auto& event : events()) {
      if (event["verb"] == "complete") ++waits;
      if (!event["tag"].is_number()) continue;
      tags_of[event["thread"]].insert(event["tag"].get<std::int64_t>());
      if (event["verb"] == "complete") ++known;
    }
    return waits == 3600;
  }));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(tags_of.size(), 8u);
  for (const auto& [thread, tags] : tags_of) EXPECT_EQ(tags.size(), 1u) << thread;
  EXPECT_GE(known, 2400u);  // sends may complete immediately, and then do not have a request
}

// Each thread of rank 0 has made 20000 polls that found nothing: ten times the size of a trace element.
TEST_F(MpiLanguagesTest, ThreadsThatPollConcurrentlyKeepTheirEarlierCalls) {
  wait_at_file();
  Call program = run(mpirun("poll", {}, MPI_APP_CPP));
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::vector<nlohmann::json>> by_thread;
  EXPECT_TRUE(eventually([&] {
    by_thread.clear();
    std::size_t thanks = 0;
    for (auto& event : events()) {
      if (event["verb"] == "send" && event["tag"].is_number() && event["tag"] >= 300) ++thanks;
      const std::string thread = event["thread"];
      if (thread.find(".0:") != std::string::npos) by_thread[thread].push_back(std::move(event));
    }
    return thanks == 4;
  }));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(by_thread.size(), 4u);
  std::set<std::string> functions;
  for (const auto& [thread, events] : by_thread) {
    EXPECT_EQ(events.front()["call"], "MPI_Irecv") << thread;
    EXPECT_EQ(events.back()["call"], "MPI_Send") << thread;
    const auto asked = std::ranges::find(events, "MPI_Send", [](const auto& event) { return event["call"]; });
    std::int64_t in_vain = 0;
    for (const auto& event : std::ranges::subrange(events.begin(), asked)) {
      if (event["call"] == "MPI_Irecv") continue;
      functions.insert(event["call"]);
      in_vain += event["calls"].is_null() ? 1 : event["calls"].get<std::int64_t>();
    }
    EXPECT_EQ(in_vain, 20000) << thread;
  }
  EXPECT_EQ(functions.size(), 4u);
}

TEST_F(MpiLanguagesTest, AnErrorHandlerMayThrowThroughACall) {
  wait_at_file();
  Call program = run(mpirun("throw", {}, MPI_APP_CPP));
  ASSERT_TRUE(program.says("ready")) << program.err();
  EXPECT_TRUE(eventually([&] {
    Counts found = recorded();
    // Later calls are recorded, so the depth of calls is right again.
    return found["MPI_Send"].calls == 6 && found["MPI_Barrier"].calls == 2;
  }));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.out(), HasSubstr("thrown\nthrown\nthrown\n"));
}

TEST_F(MpiLanguagesTest, AForkBeforeAndAfterInitChangesNothing) {
  wait_at_file();
  Call program = run(mpirun("fork", {}, MPI_APP_CPP));
  ASSERT_TRUE(program.says("ready")) << program.err();
  EXPECT_TRUE(eventually([&] { return events().size() == 2; }));  // MPI_Init_thread of both
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(MpiLanguagesTest, AStaticConstructorMayAskWhetherMpiHasBegun) {
  Call program = run(mpirun("early", {}, MPI_APP_CPP));
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(program.out(), "0\n0\n");
}

}  // namespace
}  // namespace eventspace
