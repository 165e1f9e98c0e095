#include "monitors/heartbeat/heartbeat_analysis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "pathmaps/pathmap.h"

// The analysis of made-up views: no process, no socket, no clock.
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
)";

Plan plan_of_ring() {
  LoadResult loaded = parse_plan(pathmap, "ring.yaml");
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  return std::move(*loaded.plan);
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
  Story& not_bound(std::uint32_t thread) {
    kernel_of(thread).tid = 0;
    return *this;
  }
  Story& thread_left(std::uint32_t thread) {
    kernel_of(thread).state = '?';
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

TEST(HeartbeatAnalysis, StoppedDeadAndEndedProcessesHaveTheirVerdicts) {
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::stopped).verdict(0), Verdict::stopped);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::dead).verdict(0), Verdict::dead);
  EXPECT_EQ(Story().at(5000).finished(0, 1000).process(0, RunState::ended).verdict(0), Verdict::ended);
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

TEST(HeartbeatAnalysis, AThreadOfAProcessThatStartedAnewIsSilentSinceThen) {
  Story story;
  EXPECT_EQ(story.at(1000).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(5000).started_anew(0, 200).verdict(0), Verdict::running);
  EXPECT_EQ(story.at(7100).started_anew(0, 200).verdict(0), Verdict::blocked);
}

TEST(HeartbeatAnalysis, OfTwoRunsInOneViewTheLaterIsJudged) {
  EXPECT_EQ(Story().at(5000).finished(0, 4990).old_run_reported_too(0).verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, TheLaterRunIsJudgedWhicheverReportComesFirst) {
  Story story;
  story.at(5000).finished(0, 4990).old_run_reported_too(0).reports_in_other_order();
  EXPECT_EQ(story.verdict(0), Verdict::running);
}

TEST(HeartbeatAnalysis, ProcessorTimeIsNotComparedWithThatOfAProcessBefore) {
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

}  // namespace
}  // namespace eventspace
