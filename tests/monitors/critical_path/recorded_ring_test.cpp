// A ring of threads, of which one works longer, recorded as it runs.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/monitors/delays/ring.h"
#include "tests/monitors/json_lines.h"

namespace eventspace {
namespace {

using testing_commands::Call;
using testing_commands::objects_in;
using Json = nlohmann::json;

class RecordedRing : public testing_commands::Ring {};

TEST_F(RecordedRing, TheSlowedThreadIsTheCriticalPathAndTheOriginOfTheWaits) {
  begin_ring({"t3", "40"});
  const std::string recording = file("ring.evs").string();
  Call record = call({"record", pathmap_, "-o", recording, "--for", "2s"});
  ASSERT_EQ(record.status(), 0) << record.err();
  Call said = call({"critical-path", recording, "--format", "json"});
  ASSERT_EQ(said.status(), 0) << said.err();
  const auto objects = objects_in(said.out());
  ASSERT_FALSE(objects.empty());
  const Json& answer = objects.front();
  EXPECT_EQ(answer["location"], "t3") << said.out();
  EXPECT_EQ(answer["activity"], "computation");
  // It works 42 ms in each step, the others 2 ms.
  const double path = answer["path_s"], saves = answer["saves_s"];
  EXPECT_GT(path, 0.5);
  EXPECT_GT(saves, 0.2 * path);
  EXPECT_LT(saves, path);
  double of_t3 = 0, of_others = 0, waited = 0, waited_by_t3 = 0;
  for (const Json& row : objects) {
    if (row["table"] != "locations") continue;
    (row["thread"] == "t3" ? of_t3 : of_others) += row["caused_s"].get<double>();
    waited += row["waited_s"].get<double>();
    if (row["thread"] == "t3") waited_by_t3 = row["waited_s"];
  }
  EXPECT_GT(of_t3, of_others) << said.out();
  EXPECT_GT(waited, path) << "seven threads wait for most of the time";
  EXPECT_LT(waited_by_t3, 0.1 * waited);
}

}  // namespace
}  // namespace eventspace
