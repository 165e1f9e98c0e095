#include "monitors/heartbeat/heartbeat_analysis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "collectors/probe_record.h"
#include "pathmaps/pathmap.h"
#include "pathmaps/plan/plan_names.h"
#include "tests/pathmaps/valid_plan.h"

// Tests the analysis with made-up views, without processes, sockets or clocks.
namespace eventspace {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Threads = std::vector<std::uint32_t>;

constexpr const char* pathmap = R"(
pathmap: 1
name: ring
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: ["t[0-3]"]
  generate:
    - neighbour-exchange: {threads: "t*", wrap: true, north: [n], south: [s], tuple: [int]}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: "t[0-1]"}
    p1: {node: n2, port: 7202, threads: "t[2-3]"}
collect: {points: [{at: thread}]}
)";

Plan plan_of_ring() { return test::valid_plan(parse_plan(pathmap, "ring.yaml")); }

std::uint32_t first_path_of(const Plan& plan, std::uint32_t thread) {
  for (const PathIndex path : plan.paths.indices()) {
    if (plan.paths[path].thread == ThreadIndex(thread)) return path.number32();
  }
  throw std::out_of_range("it has no path");
}

// Makes the view of a pull. Times are in milliseconds on the nodes' clocks (1 tick = 1 ns), relative to 100
// s.
class Story {
 public:
  Story() : plan_(plan_of_ring()), analysis_(plan_, Threads{0, 1, 2, 3}, seconds(2)) { at(0); }

  Story& at(std::int64_t ms) {
    view_.clear();
    now_ms_ = ms;
    for (std::uint32_t process = 0; process < 2; ++process) {
      ProcessReport report;
      report.process = process;
      report.pid = 100;
      report.now_ticks = ticks(ms);
      report.threads = {kernel(2 * process), kernel(2 * process + 1)};
      view_.processes.push_back(report);
    }
    return *this;
  }
  Story& finished(std::uint32_t thread, std::int64_t ended_ms) {
    EventRecord record;
    record.sequence = 7;
    record.thread = thread;
    record.path = path_of(thread);
    record.start = ticks(ended_ms) - 1000;
    record.end = ticks(ended_ms);
    record.status = Status::ok;
    view_.records.push_back(encode(record));
    return *this;
  }
  Story& in_flight(std::uint32_t thread, std::int64_t since_ms, std::uint32_t peer) {
    EventRecord record;
    record.sequence = 8;
    record.thread = thread;
    record.path = path_of(thread);
    record.verb = Verb::take;
    record.start = ticks(since_ms);
    record.peer = peer;
    view_.records.push_back(encode(record));
    return *this;
  }
  Story& process(std::uint32_t process, RunState state) {
    view_.processes[process].state = state;
    return *this;
  }
  Story& collecting(std::uint32_t process, const CollectState& state) {
    view_.processes[process].collecting = state;
    return *this;
  }
  Story& old_run_reported_too(std::uint32_t process) {
    ProcessReport old = view_.processes[process];
    view_.processes[process].start_ticks = 7;
    old.state = RunState::dead;
    view_.processes.insert(view_.processes.begin(), old);
    return *this;
  }
  Story& reports_in_other_order() {
    std::ranges::reverse(view_.processes);
    return *this;
  }
  Story& started_anew(std::uint32_t process, std::int32_t pid) {
    view_.processes[process].pid = pid;
    return *this;
  }
  Story& uses_processor(std::uint32_t thread, std::uint64_t cpu_ms) {
    kernel_of(thread).cpu_ns = cpu_ms * 1'000'000;
    cpu_ms_[thread] = cpu_ms;
    return *this;
  }
  Story& can_run(std::uint32_t thread) {
    kernel_of(thread).state = 'R';
    return *this;
  }
  Story& not_bound(std::uint32_t thread) {
    kernel_of(thread).tid = 0;
    return *this;
  }
  Story& thread_left(std::uint32_t thread, char state = 'X') {
    kernel_of(thread).state = state;
    return *this;
  }
  /// No descriptor was left to read the state from /proc.
  Story& state_is_unknown(std::uint32_t thread) {
    kernel_of(thread).state = '?';
    kernel_of(thread).cpu_ns = 0;
    return *this;
  }
  /// The counter of the process has jumped back since its last event.
  Story& clock_shows(std::uint32_t process, std::int64_t ms) {
    view_.processes[process].now_ticks = ticks(ms);
    return *this;
  }
  /// A process on n1 that the plan does not have; its thread is in a region since then.
  Story& dynamic(std::int64_t in_region_since_ms) {
    ProcessReport report;
    report.process = dynamic_numbers(plan_, NodeIndex(0)).first + 5;
    report.pid = 300;
    report.now_ticks = ticks(now_ms_);
    const std::uint32_t thread = *local_ids_of(report.process) + 1;
    report.threads = {{thread, 3000, 'S', 0}};
    view_.processes.push_back(report);
    TraceTuple region;
    region.words = {1,
                    ticks(in_region_since_ms),
                    record_words::thread_path(thread, thread),
                    record_words::kind(probe_kind, 0),
                    0,
                    0,
                    0,
                    0};
    view_.records.push_back(region);
    return *this;
  }
  Story& without_process(std::uint32_t process, Missing missing) {
    std::erase_if(view_.processes, [&](const ProcessReport& report) { return report.process == process; });
    view_.missing.push_back(std::move(missing));
    return *this;
  }

  HealthReport judged() {
    return analysis_.observe(view_, std::chrono::steady_clock::time_point(milliseconds(now_ms_)));
  }
  Verdict verdict(std::uint32_t thread) { return judged().threads[thread].verdict; }

 private:
  [[nodiscard]] std::uint32_t path_of(std::uint32_t thread) const { return first_path_of(plan_, thread); }
  static std::uint64_t ticks(std::int64_t ms) { return static_cast<std::uint64_t>(100'000 + ms) * 1'000'000; }
  ThreadReport kernel(std::uint32_t thread) {
    return {thread, 1000 + static_cast<int>(thread), 'S', cpu_ms_[thread] * 1'000'000};
  }
  ThreadReport& kernel_of(std::uint32_t thread) { return view_.processes[thread / 2].threads[thread % 2]; }

  Plan plan_;
  HeartbeatAnalysis analysis_;
  View view_;
  std::int64_t now_ms_{0};
  std::map<std::uint32_t, std::uint64_t> cpu_ms_;
};

TEST(HeartbeatAnalysis, AThreadWithAnEventWithinTheSetTimeRuns) {
  EXPECT_EQ(Story().at(5000).finished(0, 3001).verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, AnOperationThatBeganWithinTheSetTimeIsProgress) {
  EXPECT_EQ(Story().at(5000).finished(0, 1000).in_flight(0, 4000, 1).verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, AnOperationInFlightForLongerThanTheSetTimeIsStuck) {
  Story story;
  const HealthReport report = story.at(5000).finished(0, 1000).in_flight(0, 1500, 1).judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::stuck);
  EXPECT_EQ(report.threads[0].in_flight_for, milliseconds(3500));
  EXPECT_EQ(report.threads[0].silent_for, milliseconds(3500));
}

TEST(HeartbeatAnalysis, SilenceOutsideOperationsIsComputingIfTheProcessorIsUsed) {
  Story story;
  story.at(4000).finished(0, 1000).uses_processor(0, 100).judged();
  EXPECT_EQ(story.at(5000).finished(0, 1000).uses_processor(0, 900).verdict(0), Verdict::computing);
}

TEST(HeartbeatAnalysis, SilenceOutsideOperationsIsBlockedIfTheProcessorIsNotUsed) {
  Story story;
  story.at(4000).finished(0, 1000).uses_processor(0, 100).judged();
  EXPECT_EQ(story.at(5000).finished(0, 1000).uses_processor(0, 100).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, SilenceIsNotJudgedIfNotAllOperationsAreRecorded) {
  const CollectState off{.period = CollectSwitch::off};
  Story story;
  const HealthReport report = story.at(5000).finished(0, 1000).collecting(0, off).judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::not_collected);
  EXPECT_EQ(report.threads[0].detail, "collecting is off");
  EXPECT_EQ(report.stalled, 0u);
  const CollectState one_verb{.exceptions = {{{operation_kind, 1}, 100}}};
  EXPECT_EQ(Story().at(5000).finished(0, 1000).collecting(0, one_verb).verdict(0), Verdict::not_collected);
  const CollectState by_program{.by_program = false};
  EXPECT_EQ(Story().at(5000).finished(0, 1000).collecting(0, by_program).verdict(0), Verdict::not_collected);
}

TEST(HeartbeatAnalysis, WhatIsStillRecordedCountsWhileCollectingIsReduced) {
  const CollectState sampled{.period = 100};
  EXPECT_EQ(Story().at(5000).finished(0, 4000).collecting(0, sampled).verdict(0), Verdict::running);
  EXPECT_EQ(Story().at(5000).in_flight(0, 1000, 1).collecting(0, sampled).verdict(0), Verdict::stuck);
  const CollectState no_probes{.exceptions = {{{2, EventClasses::all_classes}, CollectSwitch::off}}};
  EXPECT_EQ(Story().at(5000).finished(0, 1000).collecting(0, no_probes).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, AFiftiethOfAProcessorIsEnoughToBeComputing) {
  const auto verdict_after = [](std::uint64_t used_ms) {
    Story story;
    story.at(4000).finished(0, 1000).uses_processor(0, 100).judged();
    return story.at(5000).finished(0, 1000).uses_processor(0, 100 + used_ms).verdict(0);
  };
  EXPECT_EQ(verdict_after(10), Verdict::blocked);
  for (const std::uint64_t used_ms : {20, 30, 90}) {
    EXPECT_EQ(verdict_after(used_ms), Verdict::computing) << used_ms;
  }
}

TEST(HeartbeatAnalysis, AThreadThatHasHardlyRunInItsOperationLacksAProcessor) {
  Story story;
  const auto lacks = [&](std::int64_t at, std::int64_t since, std::uint64_t cpu_ms) {
    story.at(at).in_flight(0, since, 1).uses_processor(0, cpu_ms).can_run(0);
    return story.judged().threads[0].lacks_processor;
  };
  EXPECT_FALSE(lacks(1000, 900, 100)) << "nothing is known of it yet";
  EXPECT_TRUE(lacks(2000, 1500, 250));
  EXPECT_TRUE(lacks(4000, 1500, 299));
  EXPECT_FALSE(lacks(6000, 1500, 300)) << "a tenth of the set time";
  EXPECT_TRUE(lacks(8000, 7000, 310)) << "another operation";
  story.at(9000).in_flight(0, 7000, 1).uses_processor(0, 310);
  EXPECT_FALSE(story.judged().threads[0].lacks_processor) << "it sleeps";
}

TEST(HeartbeatAnalysis, StoppedDeadAndEndedProcessesHaveTheirVerdicts) {
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::stopped).verdict(0), Verdict::stopped);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::dead).verdict(0), Verdict::dead);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::hidden).verdict(0), Verdict::silent);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::unknown).verdict(0), Verdict::silent);
  EXPECT_EQ(Story().at(1500).finished(0, 1000).process(0, RunState::hidden).verdict(0), Verdict::running);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::ended).verdict(0), Verdict::ended);
}

TEST(HeartbeatAnalysis, ADynamicThreadIsJudgedAsOthers) {
  const HealthReport report = Story().at(5000).dynamic(4000).judged();
  ASSERT_EQ(report.threads.size(), 5u);
  EXPECT_EQ(report.threads[4].verdict, Verdict::running);
  EXPECT_EQ(report.threads[4].in_flight_for, milliseconds(1000));
}

TEST(HeartbeatAnalysis, InALongRegionAThreadIsNotStuckInAnOperation) {
  EXPECT_EQ(Story().at(5000).dynamic(1000).judged().threads[4].verdict, Verdict::blocked);
}

TEST(HeartbeatAnalysis, ADynamicThreadIsGoneWithItsProcess) {
  Story story;
  ASSERT_EQ(story.at(5000).dynamic(4000).judged().threads.size(), 5u);
  const Missing not_started{"n2", "process p1", MissingCause::no_segment, "", 4};
  const HealthReport after = story.at(6000).without_process(1, not_started).judged();
  EXPECT_EQ(after.threads.size(), 4u);
  EXPECT_EQ(after.gone_processes, 1u);
}

TEST(HeartbeatAnalysis, ADynamicThreadIsUnreachableWhileItsServerIsSilent) {
  Story story;
  story.at(5000).dynamic(4000).judged();
  const Missing silent{"n1", "server of node n1", MissingCause::no_answer, "", 4};
  const HealthReport report = story.at(6000).without_process(0, silent).judged();
  ASSERT_EQ(report.threads.size(), 5u);
  EXPECT_EQ(report.threads[4].verdict, Verdict::unreachable);
  const Missing other{"n2", "server of node n2", MissingCause::no_answer, "", 4};
  EXPECT_EQ(story.at(7000).without_process(1, other).judged().threads.size(), 4u);
}

TEST(HeartbeatAnalysis, AThreadThatHasNotBoundItselfHasNotStarted) {
  EXPECT_EQ(Story().at(9000).not_bound(0).verdict(0), Verdict::not_started);
}

TEST(HeartbeatAnalysis, AThreadWithoutAnyEventIsSilentSinceItWasFirstSeen) {
  Story story;
  EXPECT_EQ(story.at(1000).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(2900).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(3100).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, AThreadThatHasLeftIsEndedAndNotStalled) {
  EXPECT_EQ(Story().at(9000).finished(0, 1000).thread_left(0).verdict(0), Verdict::ended);
}

TEST(HeartbeatAnalysis, AMainThreadThatLeftBeforeTheOthersIsEnded) {
  EXPECT_EQ(Story().at(9000).finished(0, 1000).thread_left(0, 'Z').verdict(0), Verdict::ended);
}

TEST(HeartbeatAnalysis, AThreadWhoseStateIsUnknownIsJudgedByItsEvents) {
  EXPECT_EQ(Story().at(9000).finished(0, 8999).state_is_unknown(0).verdict(0), Verdict::running);
  EXPECT_EQ(Story().at(9000).in_flight(0, 1000, 1).state_is_unknown(0).verdict(0), Verdict::stuck);
  EXPECT_EQ(Story().at(9000).finished(0, 1000).state_is_unknown(0).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, AnUnknownStateIsNoEvidenceOfProcessorUse) {
  Story story;
  story.at(4000).finished(0, 1000).uses_processor(0, 900).judged();
  EXPECT_EQ(story.at(5000).finished(0, 1000).state_is_unknown(0).verdict(0), Verdict::blocked);
  EXPECT_EQ(story.at(6000).finished(0, 1000).uses_processor(0, 905).verdict(0), Verdict::blocked);
  EXPECT_EQ(story.at(7000).finished(0, 1000).uses_processor(0, 1800).verdict(0), Verdict::computing);
  EXPECT_EQ(story.at(8000).finished(0, 1000).state_is_unknown(0).verdict(0), Verdict::computing);
}

// --- counters that jump back, as in a virtual machine that moves -----------------------------------------

TEST(HeartbeatAnalysis, AStallIsFoundEvenIfTheCounterJumpedBack) {
  Story story;
  EXPECT_EQ(story.at(5000).in_flight(0, 4000, 1).verdict(0), Verdict::running);
  story.at(6000).in_flight(0, 4000, 1).clock_shows(0, -90'000);
  EXPECT_EQ(story.verdict(0), Verdict::running) << "nobody knows for how long already";
  story.at(7900).in_flight(0, 4000, 1).clock_shows(0, -88'100);
  EXPECT_EQ(story.verdict(0), Verdict::running);
  story.at(8100).in_flight(0, 4000, 1).clock_shows(0, -87'900);
  const HealthReport report = story.judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::stuck);
  EXPECT_EQ(report.threads[0].silent_for, milliseconds(2100));
  EXPECT_EQ(report.threads[0].in_flight_for, milliseconds(2100));
}

TEST(HeartbeatAnalysis, AnEventAfterTheJumpIsTheNewestEvenIfItsTimeIsEarlier) {
  Story story;
  story.at(6000).finished(0, 5900).clock_shows(0, -90'000).judged();
  story.at(9000).finished(0, 5900).finished(0, -87'010).clock_shows(0, -87'000);
  const HealthReport report = story.judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::running);
  EXPECT_EQ(report.threads[0].silent_for, milliseconds(10));
}

TEST(HeartbeatAnalysis, EachNewEventIsProgressWhateverItsTime) {
  Story story;
  for (std::int64_t ms = 6000; ms < 12'000; ms += 1500) {
    story.at(ms).in_flight(0, ms - 10, 1).clock_shows(0, -90'000);
    EXPECT_EQ(story.verdict(0), Verdict::running) << ms;
  }
}

// The counters of two processors need not agree to the nanosecond.
TEST(HeartbeatAnalysis, AnEventALittleLaterThanTheReportHasJustHappened) {
  Story story;
  const HealthReport report = story.at(5000).finished(0, 5001).judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::running);
  EXPECT_EQ(report.threads[0].silent_for, milliseconds(0));
}

TEST(HeartbeatAnalysis, AThreadOfARestartedProcessIsSilentSinceTheRestart) {
  Story story;
  EXPECT_EQ(story.at(1000).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(5000).started_anew(0, 200).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(7100).started_anew(0, 200).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, TheLaterOfTwoRunsInOneViewIsJudged) {
  EXPECT_EQ(Story().at(5000).finished(0, 4990).old_run_reported_too(0).verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, TheLaterRunIsJudgedWhicheverReportComesFirst) {
  Story story;
  story.at(5000).finished(0, 4990).old_run_reported_too(0).reports_in_other_order();
  EXPECT_EQ(story.verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, ProcessorTimeIsNotComparedAcrossProcesses) {
  Story story;
  story.at(4000).finished(0, 1000).uses_processor(0, 900).judged();
  story.at(5000).started_anew(0, 200).finished(0, 2000).uses_processor(0, 5);
  EXPECT_EQ(story.verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, ThreadsBehindASilentServerAreUnreachableAndTheOthersAreJudged) {
  Story story;
  const HealthReport report =
      story.at(5000)
          .finished(0, 4999)
          .without_process(1, {"n2", "server of node n2", MissingCause::no_answer, "no answer in time", 6})
          .judged();
  EXPECT_EQ(report.threads[0].verdict, Verdict::running);
  EXPECT_EQ(report.threads[2].verdict, Verdict::unreachable);
  EXPECT_EQ(report.threads[2].detail, "server of node n2: no answer in time");
}

TEST(HeartbeatAnalysis, AProcessWithoutSegmentHasNotStarted) {
  Story story;
  story.at(5000).without_process(1, {"n2", "process p1", MissingCause::no_segment, "", 6});
  EXPECT_EQ(story.verdict(3), Verdict::not_started);
}

TEST(HeartbeatAnalysis, AProcessWhoseSegmentHasGoneHasEnded) {
  Story story;
  EXPECT_FALSE(story.at(5000).finished(3, 4500).judged().has_ended());
  story.at(6000).without_process(1, {"n2", "process p1", MissingCause::no_segment, "", 6});
  EXPECT_EQ(story.verdict(3), Verdict::ended);
}

// --- culprits ---

TEST(HeartbeatCulprits, TheThreadAtTheEndOfTheChainIsNamedWithAllThatWaitForIt) {
  Story story;
  const HealthReport report = story.at(9000)
                                  .finished(2, 1000)
                                  .in_flight(0, 1500, 1)
                                  .in_flight(1, 1200, 2)
                                  .in_flight(3, 1300, 2)
                                  .judged();
  ASSERT_EQ(report.culprits.size(), 1u);
  EXPECT_EQ(report.culprits[0].thread, 2u);
  EXPECT_EQ(report.culprits[0].verdict, Verdict::blocked);
  EXPECT_EQ(report.culprits[0].waiting, 3u);
  EXPECT_THAT(report.culprits[0].circle, IsEmpty());
  EXPECT_EQ(report.stalled, 4u);
}

TEST(HeartbeatCulprits, ThreadsThatWaitForEachOtherAreACircleAndTheOneSilentLongestIsNamed) {
  Story story;
  const HealthReport report = story.at(9000)
                                  .in_flight(0, 1500, 1)
                                  .in_flight(1, 1200, 2)
                                  .in_flight(2, 1000, 1)
                                  .finished(3, 8999)
                                  .judged();
  ASSERT_EQ(report.culprits.size(), 1u);
  EXPECT_EQ(report.culprits[0].thread, 2u);
  EXPECT_THAT(report.culprits[0].circle, ElementsAre(1, 2));
  EXPECT_EQ(report.culprits[0].waiting, 2u);
}

TEST(HeartbeatCulprits, TwoIndependentStallsAreTwoCulprits) {
  Story story;
  const HealthReport report =
      story.at(9000).finished(0, 1000).in_flight(1, 1200, 0).finished(2, 1000).finished(3, 8999).judged();
  ASSERT_EQ(report.culprits.size(), 2u);
  EXPECT_EQ(report.culprits[0].thread, 0u);
  EXPECT_EQ(report.culprits[0].waiting, 1u);
  EXPECT_EQ(report.culprits[1].thread, 2u);
}

TEST(HeartbeatCulprits, NoThreadIsBlamedWhileAllRun) {
  Story story;
  story.at(9000);
  for (std::uint32_t thread = 0; thread < 4; ++thread) story.finished(thread, 8990);
  EXPECT_THAT(story.judged().culprits, IsEmpty());
}

// --- joints -------------------------------------------------------------------------------------------

constexpr const char* joined_pathmap = R"(
pathmap: 1
name: joined
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: ["t[0-3]"]
  collectives:
    sum: {kind: barrier, threads: "t*", levels: [{group: all, on: p0}, {group: process, on: server}]}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: "t[0-1]"}
    p1: {node: n1, port: 7202, threads: "t[2-3]"}
collect: {points: [{at: thread}]}
)";

/// The health at 10 s of joint sum/p1, number 5 among the threads. The last operation on its uplink ended at
/// `ended_ms`, and the one under way began at `began_ms`.
ThreadHealth health_of_joint(std::optional<std::int64_t> ended_ms, std::optional<std::int64_t> began_ms) {
  const LoadResult loaded = parse_plan(joined_pathmap, "joined.yaml");
  EXPECT_TRUE(loaded.plan) << loaded.faults.size();
  HeartbeatAnalysis analysis(*loaded.plan, Threads{5}, seconds(2));
  View view;
  ProcessReport server;
  server.process = 2;  // after p0 and p1
  server.now_ticks = 10'000'000'000;
  server.clock.ns_per_tick = 1.0;
  view.processes.push_back(server);
  EventRecord record;
  record.thread = 5;
  record.path = first_path_of(*loaded.plan, 5);
  record.verb = Verb::exchange;
  if (ended_ms) {
    record.start = record.end = static_cast<std::uint64_t>(*ended_ms) * 1'000'000;
    record.status = Status::ok;
    view.records.push_back(encode(record));
  }
  if (began_ms) {
    record.start = static_cast<std::uint64_t>(*began_ms) * 1'000'000;
    record.end = 0;
    record.status = Status::under_way;
    view.records.push_back(encode(record));
  }
  return analysis.observe(view, std::chrono::steady_clock::time_point(seconds(10))).threads.at(0);
}

TEST(HeartbeatOfJoints, OnlyAJointWithAnOperationUnderWayIsStuck) {
  EXPECT_EQ(health_of_joint(std::nullopt, std::nullopt).verdict, Verdict::not_started);
  EXPECT_EQ(health_of_joint(9'000, std::nullopt).verdict, Verdict::running);
  EXPECT_EQ(health_of_joint(1'000, std::nullopt).verdict, Verdict::running) << "it waits for contributions";
  EXPECT_EQ(health_of_joint(1'000, 9'000).verdict, Verdict::running);
  EXPECT_EQ(health_of_joint(1'000, 2'000).verdict, Verdict::stuck);
}

TEST(HeartbeatAnalysis, AThreadWhoseTraceElementsAreEmptiedIsSilentSinceItsLastEvent) {
  Story story;
  story.at(0).judged();
  EXPECT_EQ(story.at(60'000).finished(0, 59'900).judged().threads[0].verdict, Verdict::running);
  const ThreadHealth emptied = story.at(61'000).judged().threads[0];
  EXPECT_EQ(emptied.verdict, Verdict::running);
  EXPECT_EQ(emptied.silent_for, milliseconds(1'100));
  EXPECT_TRUE(is_stalled(story.at(62'000).judged().threads[0].verdict));
  EXPECT_EQ(story.at(63'000).finished(0, 62'900).judged().threads[0].verdict, Verdict::running);
}

// --- event collectors at elements ----------------------------------------------------------------------

constexpr const char* ferry_pathmap = R"(
pathmap: 1
name: ferry
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: [a, b]
  elements: [{name: quay, tuple: [int]}]
  paths:
    - {thread: a, name: fetch, element: quay, use: read, stages: [{delay: {for: 1ms}}]}
    - {thread: b, name: bring, element: quay, use: write}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: a}
    p1: {node: n2, port: 7202, threads: b}
  elements: [{elements: quay, process: p1}]
collect: {points: [{at: [thread, element]}, {paths: fetch, at: after-delay, add: true}]}
)";

/// Views of thread a, of p0, and its path to an element of p1, on another node. The event collector at the
/// thread reads the clock of p0. The event collector at the element reads the clock of p1, which shows
/// `ahead` more and counts twice as fast. Moments are seconds before the pull.
class Ferry {
 public:
  explicit Ferry(seconds ahead) : ahead_(ahead), analysis_(plan_, Threads{0}, seconds(2)) {
    view_.processes = {report(0), report(1)};
    view_.processes[0].threads = {{0, 1000, 'S', 0}};
  }
  Ferry& finished(CollectPoint point, std::int64_t before_s) {
    EventRecord record = record_at(point);
    record.start = record.end = ticks(point, before_s);
    record.status = Status::ok;
    return add(record);
  }
  Ferry& in_flight(CollectPoint point, std::int64_t before_s) {
    EventRecord record = record_at(point);
    record.sequence = 2;
    record.start = ticks(point, before_s);
    return add(record);
  }
  Ferry& element_alone() {
    view_.processes.erase(view_.processes.begin());
    return *this;
  }
  Ferry& missing(Missing missing) {
    view_.missing.push_back(std::move(missing));
    return *this;
  }

  ThreadHealth judged() {
    return analysis_.observe(view_, std::chrono::steady_clock::time_point(seconds(1000))).threads.at(0);
  }

 private:
  static Plan plan_of_ferry() { return test::valid_plan(parse_plan(ferry_pathmap, "ferry.yaml")); }
  [[nodiscard]] ProcessReport report(std::uint32_t process) const {
    ProcessReport report;
    report.process = process;
    report.pid = 100;
    report.clock.ns_per_tick = process == 0 ? 1.0 : 0.5;
    report.now_ticks = ticks(static_cast<CollectPoint>(process), 0);
    return report;
  }
  [[nodiscard]] std::uint64_t ticks(CollectPoint point, std::int64_t before_s) const {
    constexpr std::int64_t now_s = 5000;
    const bool at_thread = point != CollectPoint::element;
    const std::int64_t shown = now_s - before_s + (at_thread ? 0 : ahead_.count());
    return static_cast<std::uint64_t>(shown) * (at_thread ? 1'000'000'000 : 2'000'000'000);
  }
  static EventRecord record_at(CollectPoint point) {
    EventRecord record;
    record.sequence = 1;
    record.verb = Verb::take;
    record.point = static_cast<std::uint16_t>(point);
    return record;
  }
  Ferry& add(const EventRecord& record) {
    view_.records.push_back(encode(record));
    return *this;
  }

  seconds ahead_;
  Plan plan_ = plan_of_ferry();
  HeartbeatAnalysis analysis_;
  View view_;
};

class HeartbeatOfTwoClocks : public testing::TestWithParam<int> {
 protected:
  Ferry ferry{seconds(GetParam())};
};

TEST_P(HeartbeatOfTwoClocks, AThreadThatIsStuckAtAnElementOfAnotherNodeIsStuck) {
  ferry.finished(CollectPoint::thread, 70).finished(CollectPoint::element, 70);
  ferry.in_flight(CollectPoint::thread, 61).in_flight(CollectPoint::element, 60);
  const ThreadHealth health = ferry.judged();
  EXPECT_EQ(health.verdict, Verdict::stuck);
  EXPECT_EQ(health.silent_for, seconds(60));
  EXPECT_EQ(health.in_flight_for, seconds(60));
}

TEST_P(HeartbeatOfTwoClocks, AThreadThatHasJustUsedAnElementOfAnotherNodeRuns) {
  ferry.finished(CollectPoint::thread, 1).finished(CollectPoint::element, 30);
  const ThreadHealth health = ferry.judged();
  EXPECT_EQ(health.verdict, Verdict::running);
  EXPECT_EQ(health.silent_for, seconds(1));
  EXPECT_EQ(health.last->point, static_cast<std::uint16_t>(CollectPoint::thread));
}

TEST_P(HeartbeatOfTwoClocks, TheTimeOfTheLastEventIsOfTheClockThatWasRead) {
  ferry.finished(CollectPoint::element, 1);
  const ThreadHealth health = ferry.judged();
  EXPECT_EQ(health.last_realtime_ns, (4999 + std::int64_t{GetParam()}) * 1'000'000'000);
}

TEST_P(HeartbeatOfTwoClocks, AThreadReadOnlyAtElementsIsJudgedByThem) {
  ferry.element_alone().in_flight(CollectPoint::element, 60);
  EXPECT_EQ(ferry.judged().verdict, Verdict::stuck);
  EXPECT_EQ(ferry.judged().silent_for, seconds(60));
}

TEST_P(HeartbeatOfTwoClocks, AThreadReadOnlyAtElementsIsRunningIfItMovesOn) {
  ferry.element_alone().finished(CollectPoint::element, 1);
  EXPECT_EQ(ferry.judged().verdict, Verdict::running);
}

TEST_P(HeartbeatOfTwoClocks, TheReportOfTheProcessCountsMoreThanRecordsElsewhere) {
  ferry.element_alone().in_flight(CollectPoint::element, 60);
  ferry.missing({"n1", "process p0", MissingCause::refused, "its segment was truncated", 1});
  EXPECT_EQ(ferry.judged().verdict, Verdict::unreachable);
  EXPECT_EQ(ferry.judged().detail, "process p0: its segment was truncated");
}

TEST_P(HeartbeatOfTwoClocks, AThreadThatIsStuckBehindAStageIsStuckSinceItGotThere) {
  ferry.finished(CollectPoint::thread, 70).in_flight(CollectPoint::thread, 61).in_flight(after_stage(1), 60);
  const ThreadHealth health = ferry.judged();
  EXPECT_EQ(health.verdict, Verdict::stuck);
  EXPECT_EQ(health.silent_for, seconds(60));
}

TEST_P(HeartbeatOfTwoClocks, AThreadThatIsStuckInAStageIsStuck) {
  ferry.in_flight(CollectPoint::thread, 60).finished(after_stage(1), 61);
  EXPECT_EQ(ferry.judged().verdict, Verdict::stuck);
  EXPECT_EQ(ferry.judged().silent_for, seconds(60));
}

TEST_P(HeartbeatOfTwoClocks, AThreadReadOnlyBetweenStagesIsJudgedByThatPoint) {
  ferry.finished(after_stage(1), 1);
  EXPECT_EQ(ferry.judged().verdict, Verdict::running);
}

TEST_P(HeartbeatOfTwoClocks, ARecordOfAPointThatThePathDoesNotHaveIsNoEvidence) {
  ferry.finished(after_stage(1), 60).finished(static_cast<CollectPoint>(256), 1);  // 256 is not `thread`
  EXPECT_NE(ferry.judged().verdict, Verdict::running);
}

INSTANTIATE_TEST_SUITE_P(Ahead, HeartbeatOfTwoClocks, testing::Values(0, 3, 4000, -3, -4000));

}  // namespace
}  // namespace eventspace
