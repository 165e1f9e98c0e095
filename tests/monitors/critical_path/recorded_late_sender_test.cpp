// An MPI program with a late sender, recorded as it runs: `run`, `record`, `critical-path`.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "tests/monitors/whatif/recording/recorded_pattern.h"

namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

// On a busy machine, one rank may begin much later than the others.
const auto is_whole = testing::AnyOf("complete", "first call");

class RecordedLateSender : public test::RecordedPattern {
 protected:
  std::vector<Json> analyse(const std::filesystem::path& recording) {
    Call said = call({"critical-path", recording.string(), "--format", "json"});
    EXPECT_EQ(said.status(), 0) << said.err();
    return testing_commands::objects_in(said.out());
  }
};

// Twenty times, rank 0 works for 20 ms before it sends.
TEST_F(RecordedLateSender, TheLateRankAndItsSecondsAreFound) {
  const auto recording = file("late.evs");
  const double took = record(3, {"late", "20", "1000"}, recording);
  ASSERT_GT(took, 0.4);
  const auto objects = analyse(recording);
  ASSERT_FALSE(objects.empty());
  const Json& answer = objects.front();
  EXPECT_THAT(answer["answer"].get<std::string>(), StartsWith("rank 0's computation makes up "));
  EXPECT_THAT(answer["begins_with"].get<std::string>(), is_whole) << answer;
  EXPECT_GT(answer["path_s"].get<double>(), took);
  // Rank 0 computes for 0.4 s, the other two do not.
  EXPECT_GT(answer["saves_s"].get<double>(), 0.1);
  EXPECT_LT(answer["saves_s"].get<double>(), took + 0.5);
  const auto late =
      std::ranges::find_if(objects, [](const Json& row) { return row.value("kind", "") == "late sender"; });
  ASSERT_NE(late, objects.end());
  EXPECT_THAT((*late)["call"].get<std::string>(), StartsWith("MPI_Recv"));
  EXPECT_EQ((*late)["waits"], 40);
  EXPECT_EQ((*late)["origin"], "rank 0");
  // Two ranks wait for nearly all of its work.
  EXPECT_GT((*late)["waited_s"].get<double>(), 0.4);
  EXPECT_LT((*late)["waited_s"].get<double>(), 2 * took);
  EXPECT_GT((*late)["of_origin_s"].get<double>(), 0.9 * (*late)["waited_s"].get<double>());
}

TEST_F(RecordedLateSender, OfAnyPatternThePathIsAsLongAsTheRun) {
  for (const std::string pattern : {"halo", "tree", "transpose", "wavefront", "farm", "alltoall"}) {
    const auto recording = file(pattern + ".evs");
    ASSERT_GT(record(2, {pattern, "10", "1000"}, recording), 0) << pattern;
    const auto objects = analyse(recording);
    ASSERT_FALSE(objects.empty()) << pattern;
    EXPECT_THAT(objects[0]["begins_with"].get<std::string>(), is_whole) << objects[0];
    EXPECT_GT(objects[0]["covered"].get<double>(), 0.5) << objects[0];
    double share = 0;
    for (const Json& row : objects)
      if (row["table"] == "path") share += row["share"].get<double>();
    EXPECT_NEAR(share, 1, 1e-6) << pattern;
  }
}

}  // namespace
}  // namespace eventspace
