// `eventspace efficiency` beside a running application with a pathmap, whose thread t2 works longer than the
// others.
#include <nlohmann/json.hpp>

#include "tests/monitors/collectives/collectives_workplace.h"
#include "tests/monitors/json_lines.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;
using testing_commands::Call;
using testing_commands::objects_in;
using Json = nlohmann::json;

class EfficiencyWatch : public testing_commands::CollectivesWorkplace {
 protected:
  /// The rows of a table.
  std::vector<Json> watch(const std::string& table, std::vector<std::string> more) {
    more.insert(more.begin(), {"efficiency", pathmap_.string(), "--format", "json"});
    Call call = this->call(more);
    EXPECT_EQ(call.status(), 0) << call.err();
    std::vector<Json> rows;
    for (const Json& row : objects_in(call.out()))
      if (row["table"] == table) rows.push_back(row);
    return rows;
  }
};

// t2 sleeps 20 ms in each operation, the others 1 ms: load balance is 23 / 80, if nothing else delays them.
TEST_F(EfficiencyWatch, ALateThreadOfARunningProgramIsLoadImbalance) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const auto rows = watch("intervals", {"--for", "2s"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["threads"], 4);
  EXPECT_NEAR(rows[0]["length_s"].get<double>(), 2, 1);
  EXPECT_NEAR(rows[0]["load_balance"].get<double>(), 23.0 / 80, 0.15);
  EXPECT_GT(rows[0]["communication"].get<double>(), 0.6);
  EXPECT_LE(rows[0]["serialisation_least"].get<double>(), rows[0]["serialisation_most"].get<double>());
  const auto answers = watch("answer", {"--for", "1s"});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["by"], "t2");
  EXPECT_EQ(answers[0]["limit"], "load_balance");
  EXPECT_FALSE(answers[0]["simulated"].get<bool>());
}

TEST_F(EfficiencyWatch, ACurveHasSpansOfTheTimeWatched) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const auto rows = watch("intervals", {"--for", "2s", "--every", "500ms"});
  ASSERT_GE(rows.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows[i]["interval"].get<double>(), 0.5 * static_cast<double>(i - 1));
    EXPECT_LT(rows[i]["load_balance"].get<double>(), 0.7);
  }
}

TEST_F(EfficiencyWatch, ARecordingHasTheSameAnswer) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const std::string recording = file("sums.evs").string();
  Call recorder = call({"record", pathmap_.string(), "-o", recording, "--for", "2s"});
  ASSERT_EQ(recorder.status(), 0) << recorder.err();
  Call text = call({"efficiency", recording});
  EXPECT_EQ(text.status(), 0) << text.err();
  EXPECT_THAT(text.out(), AllOf(StartsWith("parallel efficiency "), HasSubstr("limited by load balance"),
                                HasSubstr("t2 computes"), HasSubstr("how sure:")));
}

TEST_F(EfficiencyWatch, WithoutAProgramNothingCanBeSaid) {
  start_servers_of(pathmap_);
  Call call = this->call({"efficiency", pathmap_.string(), "--for", "300ms"});
  EXPECT_EQ(call.status(), 3) << call.err();
  EXPECT_EQ(call.out(), "");
}

}  // namespace
}  // namespace eventspace
