// Tests `collectives`, `profile` and other commands on a running MPI job.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/monitors/collectives/summed_operations.h"
#include "tests/monitors/mpi/mpi_job.h"
#include "tests/tuplespace/variable.h"

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

  /// The greatest sequence number of an ended event in each rank's process; empty before the first.
  std::map<std::string, std::int64_t> newest_of_ranks() {
    std::map<std::string, std::int64_t> newest;
    for (const auto& event : rows_of(
             {"events", "job", "--where", "kind == 'mpi'", "--quiet", "--last", "100", "--format", "json"}))
      newest[event["process"]] = std::max(newest[event["process"]], event["sequence"].get<std::int64_t>());
    return newest;
  }
  /// Waits until each of the four ranks has made `number` records.
  void wait_for_records(std::int64_t number) {
    ASSERT_TRUE(testing_commands::eventually([&] {
      const auto newest = newest_of_ranks();
      return newest.size() >= 4 &&
             std::ranges::all_of(newest, [&](const auto& rank) { return rank.second >= number; });
    }));
  }

  /// The rows of --total on ranks: the cost of each rank to the others, and how long others waited for its
  /// messages.
  struct Blame {
    std::map<std::string, double> costs;
    std::map<std::string, double> awaited;
    std::set<std::string> nodes;
    bool is_estimated{false};
  };
  static Blame blame_in(const std::string& totals) {
    Blame blame;
    for (const auto& row : objects_in(totals)) {
      if (row["kind"] == "rank" && row["figure"] == "cost")
        blame.costs[row["name"]] = row["sum_ns"].get<double>();
      if (row["kind"] == "thread") blame.nodes.insert(row["node"].get<std::string>());
      if (row["kind"] != "message") continue;
      if (row["collective"] != "") blame.awaited[row["collective"]] += row["sum_ns"].get<double>();
      blame.is_estimated = blame.is_estimated || row["error_ns"].is_null();
    }
    return blame;
  }
  static std::string greatest(const std::map<std::string, double>& figures) {
    if (figures.empty()) return "none";
    return std::ranges::max_element(figures, {}, [](const auto& figure) { return figure.second; })->first;
  }

  /// The events in flight among rows of `events`, as "PROCESS CALL".
  static std::multiset<std::string> in_flight(const std::vector<nlohmann::json>& rows) {
    std::multiset<std::string> found;
    for (const auto& row : rows)
      if (row["duration_ns"].is_null())
        found.insert(row["process"].get<std::string>() + " " + row["call"].get<std::string>());
    return found;
  }
};

TEST_F(JobCommandsTest, CollectivesNameTheRankThatIsAlwaysLateAndWhatItCosts) {
  Call program = run("one_is_late");
  ASSERT_TRUE(program.says("ready")) << program.err();
  const auto operations = rows_of({"collectives", "job", "--each", "--collective", "MPI_COMM_WORLD*",
                                   "--count", "5", "--for", "20s", "--format", "json", "--quiet"});
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
  Call summary = call({"collectives", "job", "--for", "1s"});
  EXPECT_THAT(summary.out(), testing::StartsWith("rank 3 came last in ")) << summary.err();
  EXPECT_THAT(summary.out(), AllOf(HasSubstr("of the run time of all 4 ranks\ncommunicator "),
                                   HasSubstr("MPI_Allreduce"), HasSubstr("rank 3 (")));
  std::map<std::string, double> cost;
  for (const auto& row :
       rows_of({"collectives", "job", "--total", "--for", "1s", "--format", "json", "--quiet"}))
    if (row["kind"] == "rank" && row["figure"] == "cost") cost[row["name"]] = row["sum_ns"].get<double>();
  // Four ranks share few processors, so another rank can be late by some milliseconds.
  EXPECT_GT(cost["rank 3"], cost["rank 0"] + cost["rank 1"] + cost["rank 2"]);
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
}

TEST_F(JobCommandsTest, TheSummaryOfARecordingIsTheSumOfItsOperationsByCallSite) {
  ::setenv("WORST_MS", "8", 1);
  go_on();
  const std::string recording = file("job.evs").string();
  Call program = run("one_is_late", "4", {"--record", recording});
  ASSERT_EQ(program.status(), 0) << program.err();
  Call each = call({"collectives", recording, "--each", "--format", "json"});
  const testing_commands::SummedOperations sums(each.out());
  EXPECT_GT(sums.operations(), 2u) << each.err();
  sums.expect_equal(call({"collectives", recording, "--format", "json"}).out());
}

struct Late {
  const char* mode;
  const char* rank;
};
void PrintTo(const Late& late, std::ostream* out) { *out << late.mode; }

class TotalsInMidRun : public JobCommandsTest, public testing::WithParamInterface<Late> {};

// The live monitor and the recording both lack the first calls, so that both estimate late messages.
TEST_P(TotalsInMidRun, OfARecordingBlameTheSameRankAsThoseThatWereWatched) {
  ::setenv("WORST_MS", "24", 1);
  const test::Variable kept("EVENTSPACE_MPI_CALLS", "100");
  Call program = run(GetParam().mode);
  ASSERT_TRUE(program.says("ready")) << program.err();
  wait_for_records(200);
  Call live = start({"collectives", "job", "--total", "--interval", "20ms", "--format", "json"});
  Call record = start({"record", "job", "-o", file("job.evs"), "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] { return std::filesystem::exists(file("job.evs")); }))
      << record.err();
  std::int64_t most = 0;
  for (const auto& [rank, number] : newest_of_ranks()) most = std::max(most, number);
  wait_for_records(most + 200);
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(record.status(), 0) << record.err();
  live.signal(SIGINT);
  EXPECT_EQ(live.status(), 0) << live.err();
  Call replay = call({"collectives", file("job.evs"), "--total", "--format", "json"});
  EXPECT_EQ(replay.status(), 0) << replay.err();
  const Blame watched = blame_in(live.out());
  const Blame recorded = blame_in(replay.out());
  // A wait for two messages of which both come at once is not blamed on a rank ("several").
  if (std::string_view(GetParam().mode) == "one_is_late") {
    EXPECT_EQ(greatest(recorded.costs), GetParam().rank) << replay.out();
    EXPECT_EQ(greatest(watched.costs), GetParam().rank) << live.out();
  }
  EXPECT_EQ(greatest(recorded.awaited), greatest(watched.awaited)) << replay.out() << live.out();
  EXPECT_EQ(recorded.is_estimated, watched.is_estimated);
  EXPECT_EQ(recorded.nodes, watched.nodes) << live.out();
}

INSTANTIATE_TEST_SUITE_P(Job, TotalsInMidRun,
                         testing::Values(Late{"one_is_late", "rank 3"}, Late{"late_neighbour", "rank 2"}),
                         [](const auto& tested) { return tested.param.mode; });

TEST_F(JobCommandsTest, TheLastEventsAreShownWithThoseInFlightLiveAndOfARecording) {
  Call program = run("absent_sleeps");
  ASSERT_TRUE(program.says("ready")) << program.err();
  const std::string waits = "in_flight and verb == 'collective' and age > 100ms";
  // Each event is shown once, whatever the number of pulls.
  Call live = start({"events", "job", "--where", waits, "--interval", "20ms", "--format", "json"});
  ASSERT_TRUE(testing_commands::eventually([&] { return objects_in(live.out()).size() >= 3; })) << live.err();
  ASSERT_EQ(call({"record", "job", "-o", file("job.evs"), "--for", "300ms"}).status(), 0);
  live.signal(SIGINT);
  EXPECT_EQ(live.status(), 0) << live.err();
  const auto expected = in_flight(objects_in(live.out()));
  EXPECT_EQ(expected.size(), 3u) << live.out();
  for (const std::string& event : expected) EXPECT_THAT(event, HasSubstr("MPI_Allreduce"));
  EXPECT_EQ(in_flight(rows_of({"events", file("job.evs"), "--where", waits, "--format", "json"})), expected);
  for (const std::string& what : {std::string("job"), file("job.evs").string()}) {
    const auto last =
        rows_of({"events", what, "--last", "3", "--where", "verb == 'collective'", "--format", "json"});
    EXPECT_EQ(last.size(), 6u) << what << ": three that ended, and three in flight behind them";
    EXPECT_EQ(in_flight(last), expected) << what;
    EXPECT_EQ(in_flight(rows_of({"events", what, "--last", "2", "--where", "verb == 'collective'", "--format",
                                 "json"}))
                  .size(),
              2u)
        << what << ": at most as many in flight";
    EXPECT_EQ(
        in_flight(rows_of({"events", what, "--last", "5", "--where", "duration >= 0s", "--format", "json"}))
            .size(),
        0u)
        << what << ": they have no duration";
  }
}

TEST_F(JobCommandsTest, AMonitorThatIsBehindWhenItIsEndedReadsTheUnreadEvents) {
  ::setenv("WORST_MS", "8", 1);
  Call program = run("one_is_late");
  ASSERT_TRUE(program.says("ready")) << program.err();
  // This monitor pulls once, then waits for an hour.
  Call events = start({"events", "job", "--interval", "1h", "--format", "json"});
  Call counted = start({"values", "job", "--of", "duration", "--as", "count", "--by", "process", "--total",
                        "--interval", "1h", "--format", "json"});
  Call measured =
      start({"measure", "job", "Barrier_count", "Collective_count", "--interval", "1h", "--format", "json"});
  Call record = start({"record", "job", "-o", file("job.evs"), "--until-end"});
  ASSERT_TRUE(testing_commands::eventually([&] {
    return !events.out().empty() && !counted.out().empty() && !measured.out().empty() &&
           std::filesystem::exists(file("job.evs"));
  }));
  go_on();
  EXPECT_EQ(program.status(), 0) << program.err();
  EXPECT_EQ(record.status(), 0) << record.err();
  for (Call* const live : {&events, &counted, &measured}) {
    live->signal(SIGINT);
    EXPECT_EQ(live->status(), 0) << live->err();
  }
  std::size_t finalized = 0;
  for (const auto& event : objects_in(events.out())) finalized += event["call"] == "MPI_Finalize" ? 1 : 0;
  EXPECT_EQ(finalized, 4u) << events.err();
  const auto recorded = rows_of({"events", file("job.evs"), "--format", "json"});
  EXPECT_EQ(objects_in(events.out()).size(), recorded.size()) << events.err();
  double sum = 0;
  const auto values = objects_in(counted.out());
  for (const auto& value : values)
    if (value["time_s"] == values.back()["time_s"]) sum += value["count"].get<double>();
  EXPECT_EQ(sum, static_cast<double>(recorded.size())) << counted.err();
  EXPECT_THAT(measured.err(), HasSubstr("measured from 20"));
  const auto measurements = objects_in(measured.out());
  EXPECT_GT(measurements.back()["value"].get<double>(), 0) << measured.out();
}

TEST_F(JobCommandsTest, AProfileHasTheMessagesByRankAndWhereTimeGoes) {
  Call program = run("neighbours");
  ASSERT_TRUE(program.says("ready")) << program.err();
  std::map<std::string, std::vector<nlohmann::json>> tables;
  for (const auto& row : rows_of({"profile", "job", "--format", "json", "--quiet"}))
    tables[row["table"]].push_back(row);
  ASSERT_EQ(tables["threads"].size(), 4u);
  std::set<int> ranks;
  for (const auto& thread : tables["threads"]) {
    ranks.insert(thread["rank"].get<int>());
    EXPECT_GT(thread["waiting_s"], 0);
    EXPECT_NEAR(thread["compute_s"].get<double>() + thread["transfer_s"].get<double>() +
                    thread["waiting_s"].get<double>(),
                thread["span_s"].get<double>(), 1e-6);
  }
  EXPECT_THAT(ranks, testing::ElementsAre(0, 1, 2, 3));
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
