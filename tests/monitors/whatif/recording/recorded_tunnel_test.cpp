// A recording of the wind tunnel is a program whose tasks are its threads.
#include "tests/lines.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/observed_tunnel.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing_commands::Call;

class RecordedTunnel : public testing_commands::ObservedTunnel {
 protected:
  std::vector<nlohmann::json> ask(const std::vector<std::string>& more) {
    std::vector<std::string> words{"whatif", recording().string(), "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    Call answer = call(words);
    EXPECT_EQ(answer.status(), 0) << answer.err();
    said_ = answer.err();
    return testing_commands::objects_in(answer.out());
  }
  [[nodiscard]] std::filesystem::path recording() const { return file("tunnel.evs"); }
  std::string said_;
};

TEST_F(RecordedTunnel, IsAProgramOfItsThreadsAndTheirMessages) {
  constexpr int steps = 100;
  steps_ = std::to_string(steps);
  start_servers();
  Call recorder = start({"record", pathmap_.string(), "-o", recording().string(), "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(recording()); }))
      << recorder.err();
  ChildProcess& one = tunnel("p0");
  ChildProcess& other = tunnel("p1");
  EXPECT_TRUE(one.wait_or_kill(testing_commands::generous).is_fine()) << logs();
  EXPECT_TRUE(other.wait_or_kill(testing_commands::generous).is_fine()) << logs();
  EXPECT_EQ(recorder.status(), 0) << recorder.err();

  const auto summary = ask({"--network", "infinite", "--network", "ethernet10", "--table", "summary"});
  ASSERT_EQ(summary.size(), 3u);
  EXPECT_TRUE(summary[0]["error_percent"].is_number());
  EXPECT_GT(summary[0]["recorded_s"].get<double>(), 0);
  EXPECT_GT(summary[2]["predicted_s"].get<double>(), summary[1]["predicted_s"].get<double>());
  EXPECT_THAT(said_, HasSubstr("more than two threads use")) << "the element of the results";

  // Each of four threads in a ring sends three borders to each neighbour in each step.
  std::size_t pairs = 0;
  for (const auto& row : ask({"--network", "infinite", "--table", "flows"})) {
    if (row["row"] != "answer") continue;
    ++pairs;
    EXPECT_GE(row["messages"], 3 * steps) << row;
    EXPECT_LE(row["messages"], 3 * (steps + 1)) << row;
  }
  EXPECT_EQ(pairs, 8u);

  // Four pairs are in different processes: their writes last until the answer of the other process's server.
  const auto actions = file("tunnel.actions");
  (void)ask({"--network", "infinite", "--write-actions", actions.string()});
  const std::string text = testing_commands::read_text(actions);
  const auto answered = static_cast<int>(test::times_in(text, " answered"));
  EXPECT_GE(answered, 4 * 3 * steps);
  EXPECT_LE(answered, 4 * 3 * (steps + 1));
}

}  // namespace
}  // namespace eventspace
