// `eventspace efficiency` and its metrics beside an MPI job with injected imbalance, and on its recording.
#include <nlohmann/json.hpp>

#include "tests/monitors/json_lines.h"
#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::objects_in;
using Json = nlohmann::json;

class EfficiencyJob : public test::MpiJob {
 protected:
  std::vector<Json> rows(const std::string& table, const std::string& of,
                         std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"efficiency", of, "--format", "json"});
    Call call = this->call(more);
    EXPECT_EQ(call.status(), 0) << call.err();
    std::vector<Json> found;
    for (const Json& row : objects_in(call.out()))
      if (row["table"] == table) found.push_back(row);
    return found;
  }
  /// Records the program to its end.
  std::string record() {
    const std::string recording = file("job.evs").string();
    Call recorder = start({"record", "job", "-o", recording, "--until-end"});
    EXPECT_TRUE(testing_commands::eventually([&] {
      return call({"info", recording}).out().find("events") != std::string::npos;
    })) << recorder.err();
    call({"efficiency", "job", "--for", "1s"});
    go_on();
    EXPECT_EQ(recorder.status(), 0) << recorder.err();
    return recording;
  }
  /// The last value of a metric in percent, as a share.
  double measure(const std::string& of, const std::string& metric) {
    Call call = this->call({"measure", of, metric, "--format", "json", "--for", "2s", "--quiet"});
    double value = -1;
    for (const Json& line : objects_in(call.out()))
      if (line["metric"] == metric && !line["value"].is_null()) value = line["value"].get<double>() / 100;
    return value;
  }
};

// Three ranks work for 10 ms and one for 40 ms in a step: 70 / 160.
TEST_F(EfficiencyJob, InjectedImbalanceIsFoundFromTheMiddleOfTheRunAndInTheRecording) {
  Call program = run("imbalance");
  ASSERT_TRUE(program.says("ready 3")) << program.err();
  const auto live = rows("intervals", "job", {"--for", "2s"});
  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0]["threads"], 4);
  EXPECT_NEAR(live[0]["load_balance"].get<double>(), 7.0 / 16, 0.15);
  EXPECT_EQ(rows("answer", "job", {"--for", "1s"}).at(0)["by"], "rank 3");
  EXPECT_NEAR(measure("job", "Load_balance"), 7.0 / 16, 0.2);
  EXPECT_NEAR(measure("job", "Parallel_efficiency"),
              rows("intervals", "job", {"--for", "2s"}).at(0)["parallel"].get<double>(), 0.2);

  const auto regions = rows("intervals", "job", {"--for", "1s", "--by", "region"});
  ASSERT_EQ(regions.size(), 3U) << "the whole, the region, and the rest";
  EXPECT_THAT(regions, Contains(testing::ResultOf([](const Json& row) { return row["interval"]; }, "work")));
  const auto iterations = rows("intervals", "job", {"--for", "1s", "--by", "iteration"});
  EXPECT_GT(iterations.size(), 5U);

  const std::string recording = record();
  EXPECT_EQ(program.status(), 0) << program.err();
  const Json recorded = rows("intervals", recording).at(0);
  EXPECT_NEAR(recorded["load_balance"].get<double>(), 7.0 / 16, 0.15);
  EXPECT_EQ(rows("answer", recording).at(0)["by"], "rank 3");
}

// Each rank works for 10 ms when it has the token: serialisation is a quarter.
TEST_F(EfficiencyJob, ARingIsSerialised) {
  Call program = run("ring");
  ASSERT_TRUE(program.says("ready 3")) << program.err();
  const Json live = rows("intervals", "job", {"--for", "1s"}).at(0);
  EXPECT_GT(live["load_balance"].get<double>(), 0.7);
  EXPECT_LT(live["communication"].get<double>(), 0.5);
  EXPECT_LE(live["serialisation_least"].get<double>(), 0.4) << "of the range";
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

}  // namespace
}  // namespace eventspace
