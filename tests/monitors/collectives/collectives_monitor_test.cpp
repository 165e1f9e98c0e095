#include "monitors/collectives/command/collectives_monitor.h"

#include <gmock/gmock.h>

#include <memory>
#include <sstream>

#include "monitors/cli/command.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "tests/monitors/watching/test_timeline.h"
#include "tests/pathmaps/valid_plan.h"

// The monitor of collective operations with made-up views, on a timeline that the test moves: no process, no
// socket, no waiting.
namespace eventspace {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using test::TestTimeline;
using test::TestViews;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* pathmap_of_barrier = R"(
pathmap: 1
name: three
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [a, b, c]
  collectives: {meet: {kind: barrier, threads: "*"}}
placement: {processes: {p0: {node: n1, port: 7201, threads: "*"}}}
collect: {points: [{at: [thread, element]}]}
scopes: {whole: {threads: "**", at: [thread, element], read: next, levels: [{group: all, wrapper: gather}]}}
)";

/// Threads come to the barrier and wait there; it never ends.
class CollectivesMonitorTest : public testing::Test {
 protected:
  CollectivesMonitorTest() {
    plan = test::shared_plan(parse_plan(pathmap_of_barrier, "three.yaml"));
    names = std::make_unique<NamesOfPlan>(plan);
    options.format = Format::text;
    options.each = true;
    options.interval = 500ms;
  }

  static std::uint64_t ticks(nanoseconds time) { return static_cast<std::uint64_t>((100s + time).count()); }

  [[nodiscard]] View unread() const {
    View view;
    ProcessReport report;
    report.pid = 100;
    report.now_ticks = ticks(timeline.elapsed());
    view.processes.push_back(report);
    view.sources_read = 6;
    return view;
  }
  [[nodiscard]] View newest() const {
    View view = unread();
    const auto& paths = plan->find_collective("meet")->participants;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (comes_at[i] > timeline.elapsed()) continue;
      EventRecord record;
      record.sequence = 1;
      record.path = static_cast<std::uint32_t>(paths[i].number());
      record.thread = static_cast<std::uint32_t>(i);
      record.verb = Verb::exchange;
      record.start = ticks(comes_at[i]);
      view.records.push_back(encode(record));
    }
    return view;
  }
  int watch_for(nanoseconds duration) {
    options.duration = duration;
    CollectivesMonitor monitor(*plan, *names, *plan->find_scope("whole"), options, views, newest_views,
                               timeline, out);
    monitor.watch();
    return monitor.conclude(summary, {});
  }

  std::shared_ptr<const Plan> plan;
  std::unique_ptr<PlanNames> names;
  CollectivesOptions options;
  std::vector<nanoseconds> comes_at{1s, 1s, 24h};
  TestTimeline timeline;
  TestViews views{[this] { return unread(); }};
  TestViews newest_views{[this] { return newest(); }};
  std::ostringstream out;
  std::ostringstream summary;
};

TEST_F(CollectivesMonitorTest, AnOperationThatIsNotOpenForLongIsNotShown) {
  options.open_after = 10s;
  EXPECT_EQ(watch_for(10s), exit_fine);
  EXPECT_THAT(out.str(), IsEmpty());
  EXPECT_THAT(summary.str(), HasSubstr("meet: 0 operations complete"));
}

TEST_F(CollectivesMonitorTest, AnOperationThatIsOpenForLongIsShownOnceAndAtTheEnd) {
  options.open_after = 10s;
  EXPECT_EQ(watch_for(20s), exit_found_wrong);
  EXPECT_EQ(out.str(),
            "  11.0s  meet #1 open for 10.0s, absent: c\n"
            "  20.0s  meet #1 open for 19.0s, absent: c\n");
}

TEST_F(CollectivesMonitorTest, AnOpenOperationIsShownAgainWhenOthersAreMissing) {
  comes_at = {1s, 15s, 24h};
  options.open_after = 10s;
  watch_for(16s);
  EXPECT_EQ(out.str(),
            "  11.0s  meet #1 open for 10.0s, absent: b, c\n"
            "  15.0s  meet #1 open for 14.0s, absent: c\n"
            "  16.0s  meet #1 open for 15.0s, absent: c\n");
}

TEST_F(CollectivesMonitorTest, OnlyVerboseSaysHowOftenItPulledOnItsTimeline) {
  options.interval = 250ms;
  options.each = false;
  watch_for(5s);
  EXPECT_EQ(summary.str(), "") << "nothing was lost";
  options.verbose = true;
  watch_for(5s);
  EXPECT_THAT(summary.str(), StartsWith("0 events in 5.0 s, 21 pulls (4.2 a second)\ncost of watching: "));
}

TEST_F(CollectivesMonitorTest, TheSummaryIsPrintedAtTheEndWithTheOperationsThatAreOpen) {
  options.each = false;
  options.open_after = 10s;
  EXPECT_EQ(watch_for(20s), exit_found_wrong);
  EXPECT_EQ(out.str(),
            "no collective operation has ended: 1 is open for long\n"
            "meet #1 open for 19.0s, absent: c\n");
}

TEST_F(CollectivesMonitorTest, TheSummaryInJsonHasTheOperationsThatAreOpen) {
  options.each = false;
  options.open_after = 10s;
  options.format = Format::json;
  EXPECT_EQ(watch_for(20s), exit_found_wrong);
  EXPECT_THAT(out.str(), StartsWith("{\"type\":\"summary\",\"runs\":1,"));
  EXPECT_THAT(
      out.str(),
      HasSubstr("\"open\":[{\"collective\":\"meet\",\"number\":1,\"open_s\":19.0,\"absent\":[\"c\"]}]"));
}

}  // namespace
}  // namespace eventspace
