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
    call({"efficiency", "job", "--for", "1s"});  // some steps are recorded meanwhile
    go_on();
    EXPECT_EQ(recorder.status(), 0) << recorder.err();
    return recording;
  }
  /// The values of one interval, whatever the machine made of the job.
  static void expect_consistent(const Json& row) {
    const auto value = [&row](const char* name) { return row[name].get<double>(); };
    constexpr double rounding = 1e-9;
    EXPECT_GT(value("length_s"), 0) << row;
    EXPECT_NEAR(value("parallel"), value("load_balance") * value("communication"), rounding) << row;
    EXPECT_LE(value("communication"), 1 + rounding) << row;
    EXPECT_LE(value("serialisation_least"), value("serialisation_most")) << row;
    EXPECT_LE(value("transfer_least"), value("transfer_most")) << row;
    EXPECT_NEAR(value("serialisation_least") * value("transfer_most"), value("communication"), rounding)
        << row;
    EXPECT_NEAR(value("serialisation_most") * value("transfer_least"), value("communication"), rounding)
        << row;
  }
  /// The thread that is useful for the longest time.
  std::string busiest(const std::string& of, std::vector<std::string> more = {}) {
    std::string name;
    double most = -1;
    for (const Json& row : rows("threads", of, std::move(more))) {
      if (row["useful_s"].get<double>() <= most) continue;
      most = row["useful_s"].get<double>();
      name = row["thread"];
    }
    return name;
  }
};

// Rank 3 works four times as long as the others in each step. The values themselves depend on the machine;
// those of recordings with known times are tested elsewhere.
TEST_F(EfficiencyJob, InjectedImbalanceIsFoundFromTheMiddleOfTheRunAndInTheRecording) {
  Call program = run("imbalance");
  ASSERT_TRUE(program.says("ready 3")) << program.err();
  const auto live = rows("intervals", "job", {"--for", "2s"});
  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0]["threads"], 4);
  expect_consistent(live[0]);
  EXPECT_EQ(busiest("job", {"--for", "2s"}), "rank 3");

  const auto regions = rows("intervals", "job", {"--for", "1s", "--by", "region"});
  ASSERT_EQ(regions.size(), 3U) << "the whole, the region, and the rest";
  EXPECT_THAT(regions, Contains(testing::ResultOf([](const Json& row) { return row["interval"]; }, "work")));
  const auto iterations = rows("intervals", "job", {"--for", "3s", "--by", "iteration"});
  ASSERT_GE(iterations.size(), 2U) << "the whole, and an iteration";
  for (std::size_t i = 2; i < iterations.size(); ++i)
    EXPECT_EQ(std::stoull(iterations[i]["interval"].get<std::string>()),
              std::stoull(iterations[i - 1]["interval"].get<std::string>()) + 1);

  const std::string recording = record();
  EXPECT_EQ(program.status(), 0) << program.err();
  const Json recorded = rows("intervals", recording).at(0);
  expect_consistent(recorded);
  EXPECT_EQ(busiest(recording), "rank 3");
}

// Each rank works when it has the token, and waits for it otherwise.
TEST_F(EfficiencyJob, ARingIsSerialised) {
  Call program = run("ring");
  ASSERT_TRUE(program.says("ready 3")) << program.err();
  const Json live = rows("intervals", "job", {"--for", "1s"}).at(0);
  expect_consistent(live);
  EXPECT_LT(live["communication"].get<double>(), 1);
  EXPECT_LT(live["serialisation_least"].get<double>(), live["serialisation_most"].get<double>())
      << "messages are not followed";
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

}  // namespace
}  // namespace eventspace
