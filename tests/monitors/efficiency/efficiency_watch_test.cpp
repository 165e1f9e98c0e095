// `eventspace efficiency` beside a running application with a pathmap, whose thread t2 works longer than the
// others.
#include <algorithm>
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
  static double useful(const Json& row) { return row["useful_s"].get<double>(); }
};

// t2 sleeps 20 ms in each operation, the others 1 ms. How much that is depends on the machine; recordings
// with known times are tested elsewhere.
TEST_F(EfficiencyWatch, ALateThreadOfARunningProgramIsLoadImbalance) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const auto rows = watch("intervals", {"--for", "2s"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["threads"], 4);
  EXPECT_GT(rows[0]["length_s"].get<double>(), 0);
  EXPECT_LT(rows[0]["load_balance"].get<double>(), 1);
  EXPECT_NEAR(rows[0]["parallel"].get<double>(),
              rows[0]["load_balance"].get<double>() * rows[0]["communication"].get<double>(), 1e-9);
  EXPECT_LE(rows[0]["serialisation_least"].get<double>(), rows[0]["serialisation_most"].get<double>());
  const auto threads = watch("threads", {"--for", "1s"});
  ASSERT_EQ(threads.size(), 4U);
  EXPECT_EQ(std::ranges::max_element(threads, {}, useful)->at("thread"), "t2");
  const auto answers = watch("answer", {"--for", "1s"});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0]["simulated"].get<bool>());
}

TEST_F(EfficiencyWatch, ACurveHasSpansOfTheTimeWatched) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const auto rows = watch("intervals", {"--for", "2s", "--every", "500ms"});
  ASSERT_GE(rows.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(rows[i]["interval"].get<double>(), 0.5 * static_cast<double>(i - 1));
    EXPECT_LE(rows[i]["length_s"].get<double>(), 0.5 + 1e-9);
  }
}

TEST_F(EfficiencyWatch, ARecordingNamesTheSameThread) {
  begin({"late", "t2", "20"});
  ASSERT_TRUE(application_->says("ready"));
  const std::string recording = file("sums.evs").string();
  Call recorder = call({"record", pathmap_.string(), "-o", recording, "--for", "2s"});
  ASSERT_EQ(recorder.status(), 0) << recorder.err();
  Call text = call({"efficiency", recording});
  EXPECT_EQ(text.status(), 0) << text.err();
  EXPECT_THAT(text.out(), AllOf(StartsWith("parallel efficiency "), HasSubstr("how sure:")));
  Call json = call({"efficiency", recording, "--format", "json"});
  std::vector<Json> threads;
  for (const Json& row : objects_in(json.out()))
    if (row["table"] == "threads") threads.push_back(row);
  ASSERT_EQ(threads.size(), 4U);
  EXPECT_EQ(std::ranges::max_element(threads, {}, useful)->at("thread"), "t2");
}

TEST_F(EfficiencyWatch, WithoutAProgramNothingCanBeSaid) {
  start_servers_of(pathmap_);
  Call call = this->call({"efficiency", pathmap_.string(), "--for", "300ms"});
  EXPECT_EQ(call.status(), 3) << call.err();
  EXPECT_EQ(call.out(), "");
}

}  // namespace
}  // namespace eventspace
