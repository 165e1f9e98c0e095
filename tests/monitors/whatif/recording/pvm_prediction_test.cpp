// From a running program of PVM to answers: `run`, `record`, `whatif`. On any machine, so times are not
// compared with another machine's.
#include <map>

#include "tests/monitors/running/pvm_programs.h"

namespace eventspace {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class PvmPrediction : public test::PvmProgramTest {
 protected:
  /// The rows of the tasks in the answer other than the baseline, in the order in which they were spawned.
  std::vector<json> tasks_of_answer(const std::filesystem::path& recording) {
    std::vector<json> rows;
    for (const json& row : ask(recording, {"--network", "infinite", "--table", "tasks"}))
      if (row["row"] == "answer") rows.push_back(row);
    std::ranges::sort(rows, {}, [](const json& row) { return row["task"].get<std::string>(); });
    return rows;
  }
};

TEST_F(PvmPrediction, TheBaselineStandsBesideTheRealTimeAndNetworksDiffer) {
  const auto recording = file("neighbours.evs");
  const double took = record({"neighbours", "3", "20", "20000"}, recording);
  ASSERT_GT(took, 20 * 0.002);
  const auto rows =
      ask(recording, {"--network", "infinite", "--network", "ethernet10", "--table", "summary"});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["row"], "baseline");
  EXPECT_EQ(rows[0]["stopped"], 0);
  EXPECT_GE(rows[0]["recorded_s"].get<double>(), took);
  EXPECT_NEAR(rows[0]["error_percent"].get<double>(),
              100 * (rows[0]["predicted_s"].get<double>() / rows[0]["recorded_s"].get<double>() - 1), 0.01);
  EXPECT_THAT(said(), HasSubstr("fitted: "));
  EXPECT_THAT(said(), Not(HasSubstr("left out")));
  // Twenty rounds of six messages at 10 Mb/s, one after the other.
  EXPECT_GT(rows[2]["predicted_s"].get<double>(), 20 * 6 * 20000 * 8 / 1e7);
  EXPECT_LT(rows[1]["predicted_s"].get<double>(), rows[0]["recorded_s"].get<double>() + 0.01);
}

// In addition to the pattern's messages: the table of tasks and "go" from the first one, and "here" and
// "done" to it.
TEST_F(PvmPrediction, EachTaskHasTheMessagesThatItSent) {
  const auto recording = file("irregular.evs");
  ASSERT_GT(record({"irregular", "3", "10", "1000"}, recording), 0);
  const auto rows = tasks_of_answer(recording);
  ASSERT_EQ(rows.size(), 3U);
  const int table = 3 * 4;
  EXPECT_EQ(rows[0]["messages"], 4);
  EXPECT_EQ(rows[0]["bytes"], 2 * table);
  EXPECT_EQ(rows[1]["messages"], 10 + 2);
  EXPECT_EQ(rows[1]["bytes"], 10 * 1000);
  EXPECT_EQ(rows[2]["messages"], 20 + 2);
  EXPECT_EQ(rows[2]["bytes"], 10 * (2000 + 1000));
}

TEST_F(PvmPrediction, AMulticastIsOneMessageAndOperationsOfGroupsAreSimulated) {
  const auto recording = file("group.evs");
  ASSERT_GT(record({"group", "3", "4", "1000"}, recording), 0);
  const auto rows = ask(recording, {"--network", "infinite", "--table", "functions"});
  EXPECT_THAT(said(), Not(HasSubstr("left out")));
  EXPECT_THAT(said(), Not(HasSubstr("count as work of the library")));
  std::map<std::string, int> calls;
  for (const json& row : rows)
    if (row["row"] == "answer") calls[row["function"]] += row["calls"].get<int>();
  EXPECT_EQ(calls["pvm_barrier"], 3 * 5);
  EXPECT_EQ(calls["pvm_reduce"], 3 * 4);
  EXPECT_EQ(calls["pvm_bcast"], 4);
  EXPECT_EQ(calls["pvm_mcast"], 0) << "it is inside the broadcast";
  const auto of_mcast = file("mcast.evs");
  ASSERT_GT(record({"mcast", "3", "5", "1000"}, of_mcast), 0);
  EXPECT_EQ(tasks_of_answer(of_mcast).front()["messages"], 5 + 4);
}

TEST_F(PvmPrediction, MessagesToItselfTakeNoTimeOnTheNetwork) {
  const auto recording = file("self.evs");
  ASSERT_GT(record({"self", "1", "10", "10000"}, recording), 0);
  for (const json& row : ask(recording, {"--network", "ethernet10", "--table", "tasks"})) {
    if (row["row"] != "answer") continue;
    EXPECT_EQ(row["messages"], 10);
    EXPECT_EQ(row["network_s"], 0);
  }
}

TEST_F(PvmPrediction, WithoutTheFirstRecordsNothingIsPredicted) {
  const test::Variable kept("EVENTSPACE_PVM_CALLS", "64");
  const auto recording = file("lost.evs");
  ASSERT_GT(record({"neighbours", "2", "20", "1000"}, recording), 0);
  Call answer = call({"whatif", recording.string(), "--network", "infinite"});
  EXPECT_NE(answer.status(), 0);
  EXPECT_THAT(answer.err(), HasSubstr("nothing can be predicted: "));
  EXPECT_THAT(answer.err(), HasSubstr("records of pvm_app.t"));
}

TEST_F(PvmPrediction, ATaskThatWasKilledEndsThePrediction) {
  const auto recording = file("killed.evs");
  Call program = run({"stick", "1", "1", "1"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return call({"heartbeat", "job", "--count", "1", "--stall", "100ms"}).out().find("in pvm_recv") !=
           std::string::npos;
  }));
  Call recorder = start({"record", "job", "-o", recording.string(), "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return std::filesystem::exists(recording) &&
           call({"info", recording.string()}).out().find("pvm_app.t") != std::string::npos;
  }));
  for (const int task : processes_with(PVM_APP)) ::kill(task, SIGKILL);
  EXPECT_NE(program.status(), 0);
  EXPECT_EQ(recorder.status(), 0) << recorder.err();
  EXPECT_THAT(call({"whatif", recording.string(), "--network", "infinite"}).err(),
              HasSubstr("recording ended while task t4"));
}

}  // namespace
}  // namespace eventspace
