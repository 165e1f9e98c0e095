// What `collectives` and `profile` make of a running MPI job.
#include <algorithm>
#include <map>

#include "tests/monitors/mpi/mpi_job.h"

namespace eventspace {
namespace {

using test::MpiJob;
using testing::AllOf;
using testing::HasSubstr;
using testing_commands::Call;
using testing_commands::objects_in;

class JobCommandsTest : public MpiJob {
 protected:
  std::vector<nlohmann::json> rows_of(const std::vector<std::string>& command) {
    Call call = start(command);
    EXPECT_EQ(call.status(), 0) << call.err();
    return objects_in(call.out());
  }
};

TEST_F(JobCommandsTest, CollectivesNameTheRankThatIsAlwaysLateAndWhatItCosts) {
  Call program = run("one_is_late");
  ASSERT_TRUE(program.says("ready")) << program.err();
  const auto operations = rows_of({"collectives", "job", "--collective", "MPI_COMM_WORLD*", "--count", "5",
                                   "--for", "20s", "--format", "json", "--quiet"});
  ASSERT_FALSE(operations.empty());
  std::size_t last_is_3 = 0;
  for (const auto& operation : operations) {
    EXPECT_EQ(operation["collective"], "MPI_COMM_WORLD (4)");
    if (operation["last"] == "rank 3") {
      ++last_is_3;
      EXPECT_THAT(operation["call"].get<std::string>(), HasSubstr("MPI_Allreduce"));
    }
  }
  EXPECT_GE(last_is_3, 4u) << "of 5";
  std::map<std::string, double> cost;
  for (const auto& row :
       rows_of({"collectives", "job", "--total", "--for", "1s", "--format", "json", "--quiet"}))
    if (row["kind"] == "rank" && row["figure"] == "cost") cost[row["name"]] = row["sum_ns"].get<double>();
  // Four ranks share few processors: another one can come later by some milliseconds.
  EXPECT_GT(cost["rank 3"], cost["rank 0"] + cost["rank 1"] + cost["rank 2"]);
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(JobCommandsTest, AProfileHasWhoSendsWhatToWhomAndWhereTimeGoes) {
  Call program = run("neighbours");
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::vector<nlohmann::json>> tables;
  for (const auto& row : rows_of({"profile", "job", "--format", "json", "--quiet"}))
    tables[row["table"]].push_back(row);
  ASSERT_EQ(tables["threads"].size(), 4u);
  for (const auto& thread : tables["threads"]) {
    EXPECT_GT(thread["waiting_s"], 0);
    EXPECT_NEAR(thread["compute_s"].get<double>() + thread["transfer_s"].get<double>() +
                    thread["waiting_s"].get<double>(),
                thread["span_s"].get<double>(), 1e-6);
  }
  ASSERT_EQ(tables["matrix"].size(), 8u);  // two neighbours each
  for (const auto& flow : tables["matrix"]) {
    EXPECT_EQ(flow["bytes"].get<std::uint64_t>(), 1000 * flow["messages"].get<std::uint64_t>());
    EXPECT_THAT(flow["over"].get<std::string>(), HasSubstr("Comm_dup"));
  }
  EXPECT_TRUE(
      std::ranges::any_of(tables["calls"], [](const auto& call) { return call["call"] == "MPI_Waitall"; }));
  const auto messages =
      std::ranges::find_if(tables["sizes"], [](const auto& size) { return size["what"] == "message"; });
  ASSERT_NE(messages, tables["sizes"].end());
  EXPECT_EQ((*messages)["least"], 512);
  EXPECT_EQ((*messages)["most"], 1023);

  const std::string picture = file("matrix.dot").string();
  EXPECT_EQ(call({"profile", "job", "--picture", picture, "--quiet"}).status(), 0);
  EXPECT_THAT(testing_commands::read_text(picture), AllOf(HasSubstr("rank 0"), HasSubstr("rank 3")));
  EXPECT_THAT(call({"profile", "job", "--table", "matrix", "--format", "csv", "--quiet"}).out(),
              HasSubstr("from,to,over,messages,bytes\n"));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(JobCommandsTest, ARunIsRecordedFromItsFirstCallToItsLastAndProfiled) {
  ::setenv("WORST_MS", "8", 1);
  go_on();
  const std::string recording = file("job.evs").string();
  Call program = run("neighbours", "4", {"--record", recording, "--profile"});
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_THAT(program.out(), AllOf(HasSubstr("where time goes:"), HasSubstr("MPI_Finalize")));
  for (const char* const once : {"call == 'MPI_Init'", "call == 'MPI_Finalize'"})
    EXPECT_EQ(rows_of({"events", recording, "--where", once, "--format", "json"}).size(), 4u) << once;
  EXPECT_THAT(call({"heartbeat", recording}).out(),
              HasSubstr("ended: all 4 ranks have returned from MPI_Finalize"));
}

}  // namespace
}  // namespace eventspace
