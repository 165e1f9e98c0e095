// From a running program to answers: `run`, `record`, `whatif`. With two ranks, on any machine, so times are
// not compared with another machine's; predictions are compared with reality in tests/hosts.
#include "tests/monitors/whatif/recording/recorded_pattern.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecordedPatternTest : public test::RecordedPattern {};

TEST_F(RecordedPatternTest, TheBaselineStandsBesideTheRealTimeAndNetworksDiffer) {
  const auto recording = file("halo.evs");
  const double took = record(2, {"halo", "20", "20000"}, recording);
  ASSERT_GT(took, 0.1) << "twenty times 5 ms";
  const auto rows =
      ask(recording, {"--network", "infinite", "--network", "ethernet10", "--table", "summary"});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["row"], "baseline");
  EXPECT_EQ(rows[0]["network"], "fitted");
  const double recorded = rows[0]["recorded_s"];
  const double predicted = rows[0]["predicted_s"];
  EXPECT_GE(recorded, took);
  EXPECT_NEAR(rows[0]["error_percent"].get<double>(), 100 * (predicted / recorded - 1), 0.01);
  EXPECT_EQ(rows[0]["stopped"], 0);
  EXPECT_THAT(said(), AllOf(HasSubstr("fitted: "), testing::Not(HasSubstr("recording ended"))));
  // Twenty rounds of four messages of 20 kB at 10 Mb/s, one after the other.
  const double on_ethernet = 20 * 4 * 20000 * 8 / 1e7;
  EXPECT_GT(rows[2]["predicted_s"].get<double>(), on_ethernet);
  EXPECT_LT(rows[1]["predicted_s"].get<double>(), recorded + 0.01);
}

TEST_F(RecordedPatternTest, EachTaskHasTheMessagesThatItSent) {
  const auto recording = file("tree.evs");
  ASSERT_GT(record(2, {"tree", "30", "1000"}, recording), 0);
  const auto rows = ask(recording, {"--network", "infinite", "--table", "tasks"});
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    EXPECT_EQ(row["bytes"], 30 * 1000);
    // Two barriers are one message each.
    EXPECT_EQ(row["messages"], 32);
    EXPECT_NEAR(
        row["execution_s"].get<double>(),
        row["computing_s"].get<double>() + row["library_s"].get<double>() + row["blocked_s"].get<double>(),
        row["execution_s"].get<double>())
        << "beside it, the time until all had begun";
  }
}

TEST_F(RecordedPatternTest, WaitingAsSimulatedStandsBesideWaitingAsRecorded) {
  const auto recording = file("halo.evs");
  ASSERT_GT(record(2, {"halo", "10", "1000"}, recording), 0);
  const auto rows = ask(recording, {"--network", "infinite", "--table", "functions"});
  std::size_t waits = 0;
  for (const auto& row : rows) {
    EXPECT_GE(row["recorded_s"].get<double>(), row["recorded_blocked_s"].get<double>());
    if (row["function"] != "MPI_Waitall" || row["row"] != "answer") continue;
    ++waits;
    EXPECT_EQ(row["calls"], 10);
    EXPECT_GT(row["recorded_s"].get<double>(), 0);
  }
  EXPECT_EQ(waits, 2u);
}

TEST_F(RecordedPatternTest, TheCriticalPathOfARecordingIsItsExecutionTime) {
  const auto recording = file("ring.evs");
  ASSERT_GT(record(2, {"ring", "10", "1000"}, recording), 0);
  double percent = 0;
  for (const auto& row : ask(recording, {"--network", "ethernet10", "--table", "path"}))
    if (row["row"] == "answer") percent += row["percent"].get<double>();
  EXPECT_NEAR(percent, 100, 0.1);
}

// Each communicator of MPI is a group, also MPI_COMM_WORLD.
TEST_F(RecordedPatternTest, ARecordingIsWrittenAsATraceOfSmpiThatTakesAsLong) {
  const auto recording = file("tree.evs");
  ASSERT_GT(record(2, {"tree", "10", "1000"}, recording), 0);
  const auto trace = file("tree.ti").string();
  const auto rows = ask(recording, {"--network", "infinite", "--table", "summary", "--write-trace", trace});
  const auto again = ask(trace, {"--network", "infinite", "--table", "summary"});
  ASSERT_EQ(again.size(), 1u);
  EXPECT_NEAR(again[0]["predicted_s"].get<double>(), rows.back()["predicted_s"].get<double>(), 1e-6);
}

TEST_F(RecordedPatternTest, ActionsThatDependOnTimesAreReported) {
  const auto recording = file("farm.evs");
  ASSERT_GT(record(2, {"farm", "10", "1000"}, recording), 0);
  (void)ask(recording, {"--network", "infinite", "--table", "summary"});
  EXPECT_THAT(said(), HasSubstr("may differ on another network: "));
  EXPECT_THAT(said(), HasSubstr("wildcard"));
}

}  // namespace
}  // namespace eventspace
