#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "monitors/cli/command.h"
#include "tests/monitors/cli/program_call.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/wait_states/recorded_job.h"

// The output of `eventspace critical-path` for recordings of made-up jobs, also for recordings with gaps, and
// with clocks that are not exact.
namespace eventspace {

Command critical_path_command(const CommandContext& context);

namespace {

using test::JobView;
using test::RecordedJob;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_commands::objects_in;
using testing_commands::ProgramCall;
using Json = nlohmann::json;

class CriticalPathCommand : public test::RecordedJobTest {
 protected:
  ProgramCall call(RecordedJob& job, std::vector<std::string> options = {}) {
    job.write(file());
    return call_on(file().string(), std::move(options));
  }
  static ProgramCall call_on(const std::string& file, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"critical-path", file});
    return testing_commands::call_program({critical_path_command({})}, options);
  }
  static Json answer_in(const ProgramCall& call) {
    const auto objects = objects_in(call.out);
    return objects.empty() ? Json() : objects.front();
  }
};

/// Four ranks solve; rank 3 takes five times as long.
RecordedJob uneven_job() {
  RecordedJob job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) job.manage(rank, "MPI_Init", 0, 1000);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const std::int64_t end = rank == 3 ? 101'000 : 21'000;
    job.region(rank, "solve", 1000, end);
    job.collective(rank, "MPI_Barrier", 1, end, 101'100);
    job.manage(rank, "MPI_Finalize", 102'000, 102'100);
  }
  return job;
}

TEST_F(CriticalPathCommand, BeginsWithTheAnswer) {
  RecordedJob job = uneven_job();
  const ProgramCall said = call(job);
  EXPECT_EQ(said.status, exit_fine) << said.err;
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(
      said.out,
      StartsWith("rank 3's computation in region 'solve' makes up 98% of the critical path; evening it out "
                 "would save at most 60ms of 102ms\n"));
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("waits: 240ms in 3 calls; 100% of this began with rank 3"),
                    HasSubstr("wait at barrier"), HasSubstr("MPI_Barrier"), Not(HasSubstr("note:"))));
}

TEST_F(CriticalPathCommand, SaysThatAPathIsBalanced) {
  RecordedJob job(2);
  for (const std::uint32_t rank : {0U, 1U}) {
    job.manage(rank, "MPI_Init", 0, 1000);
    job.collective(rank, "MPI_Barrier", 1, 100'000, 100'010);
    job.manage(rank, "MPI_Finalize", 102'000, 102'100);
  }
  EXPECT_THAT(call(job).out,
              StartsWith("the critical path is balanced: computation makes up 99% of it, and evening "
                         "out any activity would save less than 2% of 102ms\n"));
}

TEST_F(CriticalPathCommand, JsonHasTheAnswerAndThenARowForEachLineOfATable) {
  RecordedJob job = uneven_job();
  const ProgramCall said = call(job, {"--format", "json"});
  const auto objects = objects_in(said.out);
  ASSERT_GT(objects.size(), 8U);
  const Json& answer = objects[0];
  EXPECT_EQ(answer["table"], "answer");
  EXPECT_EQ(answer["activity"], "computation in region 'solve'");
  EXPECT_EQ(answer["location"], "rank 3");
  EXPECT_NEAR(answer["saves_s"].get<double>(), 0.06, 1e-6);
  EXPECT_NEAR(answer["path_s"].get<double>(), 0.1021, 1e-6);
  EXPECT_EQ(answer["covered"], 1);
  EXPECT_EQ(answer["begins_with"], "complete");
  EXPECT_EQ(answer["notes"], Json::array());
  std::map<std::string, int> rows;
  double share = 0, waited = 0, caused = 0;
  for (const Json& row : objects) {
    ++rows[row["table"]];
    if (row["table"] == "path") share += row["share"].get<double>();
    if (row["table"] == "locations") waited += row["waited_s"].get<double>();
    if (row["table"] == "locations") caused += row["caused_s"].get<double>();
  }
  EXPECT_EQ(rows["locations"], 4);
  EXPECT_EQ(rows["waits"], 1);
  EXPECT_EQ(rows["segments"], 0);
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NEAR(waited, 0.24, 1e-6);
  EXPECT_NEAR(caused, 0.24, 1e-6);
}

TEST_F(CriticalPathCommand, CsvHasOneTable) {
  RecordedJob job = uneven_job();
  EXPECT_THAT(
      call(job, {"--format", "csv"}).out,
      StartsWith(
          "activity,path_s,share,mean_s,imbalance_s,rank,of_it_s\ncomputation in region 'solve',0.1,"));
  EXPECT_THAT(
      call(job, {"--format", "csv", "--table", "waits"}).out,
      AllOf(StartsWith(
                "kind,call,waits,waited_s,rank,of_it_s,origin,of_origin_s,unknown_s,unclear,in_unclear_s\n"),
            HasSubstr("wait at barrier,MPI_Barrier,3,0.24,rank 0,0.08,rank 3,")));
}

TEST_F(CriticalPathCommand, SegmentsAreInTheOrderOfTime) {
  RecordedJob job = uneven_job();
  double at = 0;
  const auto segments = objects_in(call(job, {"--format", "json", "--table", "segments"}).out);
  ASSERT_GT(segments.size(), 3U);
  for (std::size_t i = 1; i < segments.size(); ++i) {
    EXPECT_NEAR(segments[i]["begin_s"].get<double>(), at, 1e-9);
    at = segments[i]["end_s"];
  }
  EXPECT_NEAR(at, 0.1021, 1e-9);
}

TEST_F(CriticalPathCommand, ClocksThatAreNotExactEnoughBlameNoRank) {
  RecordedJob job = uneven_job();
  job.set_clock_error(std::chrono::milliseconds(60));
  const ProgramCall said = call(job);
  EXPECT_THAT(said.out, StartsWith("no activity can be named: 78% of the critical path, 80ms, may be waits, "
                                   "but the clocks are not exact enough\n"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("waits: none"), Not(HasSubstr("began with")),
                              HasSubstr("note: 3 waits, 240ms in total, may be an error of the clocks: "
                                        "counted apart, without an origin")));
  const Json answer = answer_in(call(job, {"--format", "json"}));
  EXPECT_EQ(answer["location"], Json());
  EXPECT_EQ(answer["activity"], Json());
  EXPECT_EQ(answer["doubts"].size(), 1U);
}

TEST_F(CriticalPathCommand, ProcessesThatDidNotRecordAllCallsLeaveNoAnswer) {
  RecordedJob job = uneven_job();
  job.job.view.processes[1].collecting.period = 10;
  const ProgramCall said = call(job);
  EXPECT_THAT(said.out, StartsWith("no activity can be named: 1 process did not record all calls\n"));
  EXPECT_THAT(said.out, AllOf(Not(HasSubstr("began with")),
                              HasSubstr("note: 1 process did not record all calls (switch, --budget)")));
  const Json answer = answer_in(call(job, {"--format", "json"}));
  EXPECT_EQ(answer["activity"], Json());
  EXPECT_EQ(answer["saves_s"], Json());
  EXPECT_EQ(answer["thinned_processes"], 1);
}

TEST_F(CriticalPathCommand, CallsThatAreNotAnalysedLeaveNoAnswer) {
  RecordedJob job(1);
  job.collective(0, "MPI_Barrier", 1, 0, 10);
  job.call(0, JobView::call("MPI_Win_fence", MpiClass::window), 10'000, 90'000);
  job.collective(0, "MPI_Barrier", 2, 99'990, 100'000);
  EXPECT_THAT(call(job).out, StartsWith("no activity can be named: 80% of the critical path, 80ms, are calls "
                                        "whose waits are not analysed\n"));
}

TEST_F(CriticalPathCommand, APathThatBeginsWithTheFirstCallOfARankSaysSo) {
  RecordedJob job(2);
  job.receive(1, 0, 0, 60'010);
  job.send(0, 1, 60'000, 60'005);
  for (const std::uint32_t rank : {0U, 1U}) job.collective(rank, "MPI_Barrier", 1, 99'990, 100'000);
  EXPECT_THAT(call(job).out, AllOf(HasSubstr("; only the last 40% of the run are known\n"),
                                   HasSubstr("note: the path is known only for the last 40ms, 40% of the "
                                             "run: no earlier call of rank 0 is recorded\n")));
  EXPECT_EQ(answer_in(call(job, {"--format", "json"}))["begins_with"], "first call");
}

TEST_F(CriticalPathCommand, CallsThatHadNotEndedAreMentioned) {
  RecordedJob job(2);
  for (const std::uint32_t rank : {0U, 1U}) job.manage(rank, "MPI_Init", 0, 1000);
  job.in_flight(0, JobView::collective("MPI_Barrier", 1), 1000);
  job.in_flight(1, JobView::message("MPI_Recv", MpiClass::receive, 0), 60'000);
  EXPECT_THAT(call(job).out,
              AllOf(HasSubstr("; the path ends 60ms before the recording, in calls of 2 ranks that had not "
                              "ended\n"),
                    HasSubstr("note: 2 ranks in calls that had not ended, the longest for 60ms\n")));
  const Json answer = answer_in(call(job, {"--format", "json"}));
  EXPECT_EQ(answer["in_flight"], 2);
  EXPECT_NEAR(answer["longest_in_flight_s"].get<double>(), 0.06, 1e-6);
}

TEST_F(CriticalPathCommand, APathThatEndsAtAGapSaysSo) {
  RecordedJob job(2);
  for (const std::uint32_t rank : {0U, 1U}) {
    job.collective(rank, "MPI_Barrier", 1, 0, 5);
    job.collective(rank, "MPI_Barrier", 2, 10'000, 10'005);
    job.lose();
    job.collective(rank, "MPI_Barrier", 3, 75'000 + 1000 * rank, 76'010);
    job.collective(rank, "MPI_Barrier", 4, 100'000, 100'010);
  }
  const ProgramCall said = call(job);
  EXPECT_EQ(said.status, exit_fine);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("of 24ms; only the last 24% of the run are known\n"),
                    HasSubstr("note: the path is known only for the last 24ms, 24% of the run: records of "
                              "rank 1 are missing before"),
                    HasSubstr("note: 2 records lost before they were recorded, or damaged")));
  const Json answer = answer_in(call(job, {"--format", "json"}));
  EXPECT_EQ(answer["begins_with"], "gap");
  EXPECT_NEAR(answer["covered"].get<double>(), 0.24, 0.001);
  EXPECT_THAT(call(job, {"--format", "csv"}).err,
              HasSubstr("eventspace: note: the path is known only for the last"));
}

TEST_F(CriticalPathCommand, APathThatEndsAtAPartnerWhoseRecordsAreMissingSaysSo) {
  RecordedJob job(2);
  job.manage(0, "MPI_Init", 0, 10);
  job.manage(1, "MPI_Init", 0, 10);
  job.receive(1, 0, 50'000, 60'000);
  job.collective(0, "MPI_Barrier", 1, 99'000, 100'010);
  job.collective(1, "MPI_Barrier", 1, 100'000, 100'010);
  EXPECT_THAT(call(job).out,
              HasSubstr("note: the path is known only for the last 40ms, 40% of the run: rank 1 is "
                        "then in a call whose partner's records are missing"));
}

TEST_F(CriticalPathCommand, ARunWithoutDurationHasNoPath) {
  RecordedJob job(1);
  job.manage(0, "MPI_Init", 5, 5);
  const ProgramCall said = call(job);
  EXPECT_EQ(said.status, exit_fine);
  EXPECT_THAT(said.out, StartsWith("no critical path: the recorded calls take no time\n"));
  EXPECT_EQ(answer_in(call(job, {"--format", "json"}))["activity"], Json());
}

TEST_F(CriticalPathCommand, RecordingsWithoutCallsAreRefused) {
  RecordedJob job(1);
  job.region(0, "solve", 0, 100);
  const ProgramCall said = call(job);
  EXPECT_EQ(said.status, exit_usage);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("job.evs: found nothing to analyse: no calls of MPI, and no operations on "
                                  "recorded paths"));
}

TEST_F(CriticalPathCommand, EmptyRecordingsAreRefused) {
  RecordedJob job(1);
  EXPECT_EQ(call(job).status, exit_usage);
}

TEST_F(CriticalPathCommand, OtherFilesAreRefused) {
  EXPECT_EQ(call_on(file("none.evs").string()).status, exit_unreachable);
  std::ofstream(file("text.evs")) << "not a recording\n";
  EXPECT_EQ(call_on(file("text.evs").string()).status, exit_unreachable);
  EXPECT_EQ(call_on(file("none.evs").string(), {"--table", "odd"}).status, exit_usage);
}

}  // namespace
}  // namespace eventspace
