#include <fmt/format.h>
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/lines.h"
#include "tests/monitors/collectives/collectives_workplace.h"
#include "tests/monitors/collectives/summed_operations.h"
#include "tests/monitors/json_lines.h"
#include "tests/monitors/top/terminal_program.h"
#include "tests/tuplespace/stopped_process.h"

// `eventspace collectives` beside a running application.
namespace eventspace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing_commands::Call;
using testing_commands::TerminalProgram;
using Json = nlohmann::json;
using testing_commands::lines_of;
using testing_commands::objects_in;

class CollectivesCommand : public testing_commands::CollectivesWorkplace {
 protected:
  Call watch(const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"collectives", pathmap_, "--interval", "50ms"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return call(arguments);
  }
};

TEST_F(CollectivesCommand, NamesTheLateThreadInText) {
  begin({"late", "t2", "20"});
  auto collectives = watch({"--each", "--count", "20"});
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  const auto lines = lines_of(collectives.out());
  ASSERT_THAT(lines, SizeIs(20)) << collectives.err();
  std::size_t of_t2 = 0;  // the machine may delay any thread
  for (const std::string& line : lines) {
    EXPECT_THAT(line, HasSubstr("  sum #"));
    of_t2 += line.find("t2 came last, ") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(of_t2, 10u) << collectives.out();
  EXPECT_THAT(collectives.out(), HasSubstr("; 3 threads waited "));
  EXPECT_THAT(collectives.err(), HasSubstr("sum: "));
}

TEST_F(CollectivesCommand, IsAnObjectAnOperationInJson) {
  begin();
  auto collectives = watch({"--count", "5", "--format", "json", "--views", "--collective", "sum"});
  const auto objects = objects_in(collectives.out());
  ASSERT_THAT(objects, SizeIs(5)) << collectives.err();
  for (const Json& object : objects) {
    EXPECT_EQ(object["type"], "operation");
    EXPECT_EQ(object["collective"], "sum");
    EXPECT_EQ(object["state"], "complete");
    EXPECT_EQ(object["missing"], 0);
    EXPECT_TRUE(object["missing_on"].empty());
    EXPECT_FALSE(object["candidates"].empty());
    EXPECT_TRUE(object["last"].is_null() || object["last"] == object["candidates"][0]);
    EXPECT_GE(object["after_first"]["ns"], 0);
    EXPECT_TRUE(object["waiting"].contains("error_ns"));
    ASSERT_EQ(object["joints"].size(), 3u);
    EXPECT_EQ(object["joints"][0]["joint"], "sum");
    EXPECT_EQ(object["joints"][0]["node"], "n1");
    EXPECT_EQ(object["joints"][0]["arrivals"].size(), 2u);
    EXPECT_EQ(object["joints"][0]["departures"].size(), 2u);
    EXPECT_TRUE(object["joints"][0]["above"].is_null());
    EXPECT_GT(object["joints"][1]["above"]["ns"], 0);
    ASSERT_EQ(object["stages"].size(), 6u);
    EXPECT_GT(object["stages"][0]["both"]["ns"], 0);
  }
}

TEST_F(CollectivesCommand, HasItsNamesFirstInCsv) {
  begin();
  auto collectives = watch({"--each", "--count", "3", "--format", "csv"});
  const auto lines = lines_of(collectives.out());
  ASSERT_THAT(lines, SizeIs(4)) << collectives.err();
  EXPECT_EQ(
      lines[0],
      "time,collective,number,state,last,candidates,after_second_ns,after_second_error_ns,"
      "after_first_ns,after_first_error_ns,waiting_ns,waiting_error_ns,missing,absent,open_s,missing_on,run,"
      "call");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], HasSubstr(",sum,"));
    EXPECT_EQ(std::ranges::count(lines[i], ','), 17) << lines[i];
  }
}

TEST_F(CollectivesCommand, SaysFirstWhichThreadComesLastHowOftenAndWhatItCosts) {
  begin({"late", "t2", "20"});
  auto collectives = watch({"--count", "20"});
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  const auto lines = lines_of(collectives.out());
  ASSERT_GE(lines.size(), 4u) << collectives.out();
  EXPECT_THAT(lines[0],
              testing::MatchesRegex("t2 came last in [0-9]+ of [0-9]+ operations and cost the others "
                                    "[0-9.]+m?s, [0-9.]+% of the run time of all 4 threads"));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("collective  operation "), HasSubstr("last most often")));
  EXPECT_THAT(lines[2], testing::MatchesRegex("sum +all-reduce +[0-9]+ +t2 \\([0-9]+\\).*%.*"));
  EXPECT_EQ(collectives.err(), "") << "nothing was lost that changes the answer";
}

TEST_F(CollectivesCommand, TheSummaryOfARecordingIsTheSumOfItsOperations) {
  begin({"late", "t1", "5"});
  auto record = call({"record", pathmap_, "-o", file("run.evs"), "--for", "1s"});
  ASSERT_EQ(record.status(), 0) << record.err();
  auto each = call({"collectives", file("run.evs"), "--each", "--format", "json"});
  const testing_commands::SummedOperations sums(each.out());
  EXPECT_GT(sums.operations(), 20u) << each.err();
  auto summary = call({"collectives", file("run.evs"), "--format", "json"});
  EXPECT_EQ(summary.status(), each.status()) << summary.err();
  sums.expect_equal(summary.out());
}

TEST_F(CollectivesCommand, RefreshesItsTableOnATerminalAndPrintsItAtTheEnd) {
  begin({"late", "t2", "5"});
  TerminalProgram program({EVENTSPACE_PROGRAM, "collectives", pathmap_, "--interval", "50ms"}, 24, 120);
  ASSERT_TRUE(program.sees("t2 came last in ")) << program.seen().text();
  EXPECT_TRUE(program.seen().is_on_second_page());
  const std::string first = program.seen().row(1);
  EXPECT_TRUE(program.sees([&](const auto& seen) { return seen.row(1) != first; })) << "it is refreshed";
  program.type("p");
  EXPECT_TRUE(program.sees("paused"));
  program.type("q");
  EXPECT_EQ(program.status(), 0);
  EXPECT_FALSE(program.seen().is_on_second_page());
  EXPECT_THAT(program.seen().text(), HasSubstr("t2 came last in "));
  TerminalProgram ended({EVENTSPACE_PROGRAM, "collectives", pathmap_, "--interval", "50ms"}, 24, 120);
  ASSERT_TRUE(ended.sees("t2 came last in ")) << ended.seen().text();
  ended.signal(SIGINT);
  EXPECT_EQ(ended.status(), 0);
  EXPECT_THAT(ended.seen().text(), HasSubstr("last most often"));
  TerminalProgram lines({EVENTSPACE_PROGRAM, "collectives", pathmap_, "--lines", "--count", "5"}, 24, 120);
  EXPECT_EQ(lines.status(), 0);
  EXPECT_THAT(lines.seen().text(), HasSubstr(" came last in "));
}

TEST_F(CollectivesCommand, CtrlCPrintsTheTableIntoAPipe) {
  begin({"late", "t2", "5"});
  auto collectives = start({"collectives", pathmap_, "--interval", "50ms"});
  auto other = watch({"--count", "20"});
  EXPECT_EQ(other.status(), 0) << other.err();
  EXPECT_EQ(collectives.out(), "") << "until it ends";
  collectives.signal(SIGINT);
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  EXPECT_THAT(collectives.out(), AllOf(testing::StartsWith("t2 came last in "), HasSubstr("all-reduce")));
}

TEST_F(CollectivesCommand, EachOperationAndTotalsExcludeEachOther) {
  EXPECT_EQ(watch({"--each", "--total"}).status(), 2);
  EXPECT_EQ(watch({"--views", "--total"}).status(), 2);
}

TEST_F(CollectivesCommand, TotalsShowTheCostliestThreadsAndTheHotSpots) {
  begin({"late", "t1", "20"});
  auto text = watch({"--count", "30", "--total"});
  EXPECT_EQ(text.status(), 0) << text.err();
  EXPECT_THAT(text.out(), AllOf(testing::StartsWith("t1 came last in "), HasSubstr("last most often"),
                                HasSubstr("cost to others"), HasSubstr("gathering"), HasSubstr("both")));
  auto json = watch({"--count", "30", "--total", "--format", "json"});
  double cost_of_t1 = 0, cost_of_others = 0;
  std::set<std::string> kinds;
  for (const Json& row : objects_in(json.out())) {
    kinds.insert(row["kind"].get<std::string>());
    if (row["kind"] != "thread" || row["figure"] != "cost") continue;
    (row["name"] == "t1" ? cost_of_t1 : cost_of_others) += row["sum_ns"].get<double>();
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"runs", "operations", "records", "thread", "stage", "joint", "node",
                                          "delay"}));
  EXPECT_GT(cost_of_t1, cost_of_others);
}

TEST_F(CollectivesCommand, AnOperationThatAThreadDoesNotComeToIsShownOpenAndIsStatus1) {
  begin({"absent", "t3", "40"});
  auto collectives = start({"collectives", pathmap_, "--each", "--interval", "50ms", "--open", "300ms"});
  EXPECT_TRUE(collectives.says("absent: t3\n"));
  collectives.signal(SIGINT);
  EXPECT_EQ(collectives.status(), 1);
  EXPECT_THAT(collectives.out(), HasSubstr("sum #40 open for "));
  EXPECT_THAT(collectives.out(), testing::Not(HasSubstr("sum #41")));
}

// The column before the last one, of a line of CSV.
std::string run_in(const std::string& line) {
  const std::size_t last = line.rfind(',');
  const std::size_t before = line.rfind(',', last - 1);
  return line.substr(before + 1, last - before - 1);
}

TEST_F(CollectivesCommand, ARestartedApplicationStartsAgainFromOperation1) {
  auto up = call({"up", pathmap_});
  ASSERT_EQ(up.status(), 0) << up.err();
  auto collectives = start({"collectives", pathmap_, "--each", "--interval", "20ms", "--format", "csv"});
  for (int times = 0; times < 3; ++times) {
    run({"times", "300"});
    ASSERT_EQ(application_->status(), 0) << application_->err();
    EXPECT_TRUE(testing_commands::eventually([&] {
      return test::times_in(collectives.out(), ",sum,300,") == static_cast<std::size_t>(times + 1);
    })) << collectives.out();
  }
  collectives.signal(SIGINT);
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  std::map<std::string, std::size_t> complete;  // by run
  for (const std::string& line : lines_of(collectives.out())) {
    if (line.find(",complete,") != std::string::npos) ++complete[run_in(line)];
  }
  EXPECT_EQ(complete, (std::map<std::string, std::size_t>{{"1", 300}, {"2", 300}, {"3", 300}}))
      << collectives.out();
}

TEST_F(CollectivesCommand, TotalsOfSeveralRunsSaySo) {
  auto up = call({"up", pathmap_});
  ASSERT_EQ(up.status(), 0) << up.err();
  auto collectives = start({"collectives", pathmap_, "--interval", "20ms", "--total", "--count", "600"});
  for (int times = 0; times < 2; ++times) {
    run({"times", "300"});
    ASSERT_EQ(application_->status(), 0) << application_->err();
  }
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  EXPECT_THAT(collectives.out(), HasSubstr("sum: 600 operations complete"));
  EXPECT_THAT(collectives.out(), HasSubstr("; the following totals cover 2 runs of the application\n"));
}

TEST_F(CollectivesCommand, OperationsAreReportedWithoutTheRecordsOfASilentServer) {
  begin();
  const auto servers = processes_with("n2");
  ASSERT_THAT(servers, SizeIs(1));
  auto collectives = start({"collectives", pathmap_, "--each", "--interval", "50ms", "--timeout", "300ms",
                            "--late", "500ms", "--format", "csv"});
  ASSERT_TRUE(collectives.says(",complete,"));
  test::stop_whole(servers[0]);
  const bool is_told = collectives.says(",n2,1,\n");
  ASSERT_EQ(::kill(servers[0], SIGCONT), 0);
  EXPECT_TRUE(is_told) << collectives.err();
  collectives.signal(SIGINT);
  EXPECT_EQ(collectives.status(), 0) << collectives.err();
  for (const std::string& line : lines_of(collectives.out())) {
    if (line.ends_with(",n2,1,")) {
      EXPECT_THAT(line, HasSubstr(",incomplete,"));
    }
  }
}

// As in the paper: monitors do not affect the results of each other.
TEST_F(CollectivesCommand, FourMonitorsAtOnceSeeAllOperations) {
  pathmap_ = pathmap(
      "scopes:\n"
      "  heartbeat: {levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}\n"
      "  events: {threads: \"**\", at: [thread, element], read: next,\n"
      "           levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}\n");
  auto up = call({"up", pathmap_});
  ASSERT_EQ(up.status(), 0) << up.err();
  auto heartbeat = start({"heartbeat", pathmap_, "--interval", "20ms", "--stall", "30s", "--format", "csv"});
  auto events = start({"events", pathmap_, "--interval", "20ms", "--apart", "--format", "csv"});
  auto collectives = start({"collectives", pathmap_, "--each", "--interval", "20ms", "--format", "csv"});
  auto top = start({"top", pathmap_, "--interval", "50ms", "--stall", "30s", "--lines"});
  run({"times", "300"});
  ASSERT_EQ(application_->status(), 0) << application_->err();
  const auto count = [](const std::string& text, const std::string& part) {
    return static_cast<std::size_t>(std::ranges::count_if(
        lines_of(text), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  };
  constexpr std::size_t records =
      std::size_t{2} * (4 + 2);  // records of an operation: both ends of each path of the tree
  EXPECT_TRUE(testing_commands::eventually([&] {
    return count(events.out(), ",exchange,oldest,ok,") == 300 * records &&
           count(collectives.out(), ",complete,") == 300;
  })) << count(events.out(), ",exchange,oldest,ok,")
      << " events, " << count(collectives.out(), ",complete,") << " operations";
  EXPECT_TRUE(testing_commands::eventually([&] { return count(heartbeat.out(), ",t3,ended,") > 0; }));
  for (Call* const monitor : {&heartbeat, &events, &collectives, &top}) monitor->signal(SIGINT);
  for (Call* const monitor : {&heartbeat, &events, &collectives, &top})
    EXPECT_EQ(monitor->status(), 0) << monitor->err();
  EXPECT_THAT(heartbeat.out(), HasSubstr(",t0,running,"));
  EXPECT_THAT(top.out(), HasSubstr("t3"));
  EXPECT_THAT(events.err(), testing::Not(HasSubstr("discarded before")));
  EXPECT_THAT(collectives.err(), HasSubstr("300 operations complete\n"));
}

TEST_F(CollectivesCommand, UnknownCollectivesAndScopesAreRefused) {
  auto collective = watch({"--collective", "som"});
  EXPECT_EQ(collective.status(), 2);
  EXPECT_THAT(collective.err(), HasSubstr("no collective 'som'; it has sum"));
  auto scope = watch({"--scope", "sums"});
  EXPECT_EQ(scope.status(), 2);
  EXPECT_THAT(scope.err(), HasSubstr("no scope 'sums'"));
  pathmap_ = tiny();
  auto none = watch({});
  EXPECT_EQ(none.status(), 2);
}

TEST_F(CollectivesCommand, WithoutServersItSaysHowToStartThem) {
  auto collectives = watch({"--for", "100ms", "--timeout", "200ms"});
  EXPECT_EQ(collectives.status(), 3);
  EXPECT_THAT(collectives.err(), HasSubstr("no server of session 'sums' answers (nodes n1..n2)"));
}

}  // namespace
}  // namespace eventspace
