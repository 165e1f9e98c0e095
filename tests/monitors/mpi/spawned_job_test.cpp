// Tests a program whose processes spawn others with MPI_Comm_spawn: both jobs are judged and their ranks are
// distinguished, while it runs and in its recording.
#include <cstdlib>
#include <string>

#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_commands::Call;
using Json = nlohmann::json;

class SpawnedJob : public test::MpiJob {
 protected:
  SpawnedJob() {
    set_program(SPAWN_APP);
    ::setenv("WORST_MS", "600", 1);
  }
  /// The last pull.
  static Json pull_in(const std::string& out) {
    Json last;
    for (const Json& object : testing_commands::objects_in(out))
      if (object["type"] == "pull") last = object;
    return last;
  }
  Call look_until_stall(const std::string& format) {
    return start(
        {"heartbeat", "job", "--until-stall", "--stall", "1s", "--format", format, "--count", "300"});
  }
  void record() {
    Call record = call({"record", "job", "-o", file("spawn.evs"), "--for", "300ms"});
    ASSERT_EQ(record.status(), 0) << record.err();
  }
  Call look_at_recording(const std::string& format) {
    return call({"heartbeat", file("spawn.evs"), "--once", "--stall", "1s", "--format", format});
  }
  static void expect_link(const Json& jobs) {
    ASSERT_EQ(jobs.size(), 2u) << jobs.dump();
    EXPECT_EQ(jobs[0], (Json{{"job", 1}, {"ranks", 2}, {"judged", true}}));
    EXPECT_EQ(jobs[1], (Json{{"job", 2},
                             {"ranks", 3},
                             {"judged", true},
                             {"spawned_by", {{"job", 1}, {"rank", 1}, {"seen", true}}}}));
  }
};

// The children wait for their parents for longer than the set time.
TEST_F(SpawnedJob, AHealthyProgramGivesNoAlarmAndIsLinked) {
  Call program = run("healthy", "2");
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call text = start({"heartbeat", "job", "--until-stall", "--stall", "400ms", "--count", "25"});
  EXPECT_EQ(text.status(), 0) << text.out();
  EXPECT_THAT(text.out(),
              AllOf(HasSubstr("job 2: 3 ranks, spawned by rank 1 of job 1"), Not(HasSubstr("STALL"))));
  Call json = call({"heartbeat", "job", "--once", "--format", "json"});
  expect_link(pull_in(json.out())["mpi_jobs"]);
  Call events = call({"events", "job", "--last", "2000"});
  EXPECT_THAT(events.out(), HasSubstr("MPI_Comm_spawn root 1 on MPI_COMM_WORLD (2)"));
  Call totals = call({"collectives", "job", "--total", "--for", "300ms"});
  EXPECT_THAT(totals.out(), AllOf(HasSubstr("calls of spawned jobs"), Not(HasSubstr("of job 2"))));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(SpawnedJob, AHangInTheSpawnedJobIsFoundLiveAndInTheRecording) {
  Call program = run("absent", "2");
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call live = look_until_stall("json");
  EXPECT_EQ(live.status(), 1) << live.err();
  record();
  Call recorded = look_at_recording("json");
  EXPECT_EQ(recorded.status(), 1) << recorded.err();
  for (const std::string& out : {live.out(), recorded.out()}) {
    const Json pull = pull_in(out);
    ASSERT_EQ(pull["mpi_stalls"].size(), 1u) << out;
    const Json& stall = pull["mpi_stalls"][0];
    EXPECT_EQ(stall["job"], 2);
    EXPECT_EQ(stall["fault"], "absent");
    EXPECT_EQ(stall["ranks"], "2");
    EXPECT_EQ(stall["waiting"], "0-1");
    expect_link(pull["mpi_jobs"]);
  }
  EXPECT_THAT(look_at_recording("text").out(),
              AllOf(HasSubstr("STALL absent: rank 2 of job 2 has not come to MPI_Barrier"),
                    HasSubstr("job 2: 3 ranks, spawned by rank 1 of job 1")));
}

TEST_F(SpawnedJob, JobsThatWaitForEachOtherAreFoundLiveAndInTheRecording) {
  Call program = run("across", "2");
  ASSERT_TRUE(program.says("ready")) << program.err();
  Call live = look_until_stall("text");
  EXPECT_EQ(live.status(), 1) << live.err();
  record();
  Call recorded = look_at_recording("text");
  EXPECT_EQ(recorded.status(), 1) << recorded.err();
  for (const std::string& out : {live.out(), recorded.out()})
    EXPECT_THAT(out,
                AllOf(HasSubstr("STALL between jobs: rank 0 of job 2 waits for another job: in MPI_Recv"),
                      HasSubstr("no rank that is seen goes on"), Not(HasSubstr("STALL absent"))));
}

}  // namespace
}  // namespace eventspace
