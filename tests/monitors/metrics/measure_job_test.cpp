// `measure` on a running MPI job, which is found by its name and by the id of a process.
#include <algorithm>
#include <map>

#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::objects_in;

class JobMeasureTest : public test::MpiJob {
 protected:
  /// The last value of each metric and its objects, with blanks between them.
  std::map<std::string, double> measure(const std::string& job, const std::vector<std::string>& more) {
    std::vector<std::string> command{"measure", job,       "--count",  "3",   "--interval",
                                     "200ms",   "--quiet", "--format", "json"};
    command.insert(command.end(), more.begin(), more.end());
    Call call = start(command);
    EXPECT_EQ(call.status(), 0) << call.err();
    std::map<std::string, double> values;
    for (const auto& line : objects_in(call.out())) {
      std::string key = line["metric"];
      for (const auto& object : line["objects"]) key += " " + object.get<std::string>();
      if (!line["value"].is_null()) values[key] = line["value"].get<double>();
    }
    return values;
  }
};

TEST_F(JobMeasureTest, MeasuresAJobByItsNameAndByTheIdOfItsLauncher) {
  Call program = run("neighbours");
  ASSERT_TRUE(program.says("ready")) << program.err();
  for (const std::string& job : {std::string("job"), std::to_string(program.pid())}) {
    const auto values = measure(job, {"Send_count", "Memory_size", "Waiting_share"});
    EXPECT_EQ(values.size(), 12U) << job << ": three metrics of four ranks";
    // In a short time, not every rank sends.
    double sent = 0.0;
    for (const auto& [what, value] : values) sent += what.starts_with("Send_count") ? value : 0.0;
    EXPECT_GT(sent, 0.0) << job;
  }
  // Each rank sends to two of the others.
  const auto pairs = measure("job", {"Bandwidth_by_partner"});
  EXPECT_EQ(pairs.size(), 16U);
  const auto each = measure("job", {"Send_count", "--each", "partners"});
  EXPECT_EQ(each.size(), 16U);
  EXPECT_LE(std::ranges::count_if(each, [](const auto& pair) { return pair.second > 0.0; }), 8);
  const auto to_some = measure("job", {"Send_count", "--partners", "*.[0-1]"});
  EXPECT_EQ(to_some.size(), 4U) << "one value over both";
  const auto sending = std::ranges::count_if(pairs, [](const auto& pair) { return pair.second > 0.0; });
  EXPECT_GT(sending, 0);
  EXPECT_LE(sending, 8);
  Call alert = call({"measure", "job", "--alert", "Send_count > 0", "--interval", "100ms", "--for", "30s"});
  EXPECT_EQ(alert.status(), 1);
  EXPECT_THAT(call({"measure", "job", "--quiet"}).out(), HasSubstr("Send_count"));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

}  // namespace
}  // namespace eventspace
