#include <gmock/gmock.h>

#include "monitors/heartbeat/health_text.h"
#include "tests/monitors/heartbeat/made_up_look.h"

// Tests the culprits of threads that are stuck in collective operations, with made-up views.
namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A tree of three levels over all threads, a tree over some, and boxes: t4 writes to one other thread through
// each box.
constexpr const char* meeting_pathmap = R"(
pathmap: 1
name: meeting
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}, n2: {host: 127.0.0.1, port: 7102}}}
application:
  threads: ["t[0-5]"]
  elements: [{name: box, tuple: [int]}]
  paths:
    - {thread: t4, name: put, element: box, use: write}
    - {thread: t5, name: get, element: box, use: read}
  collectives:
    sum: {kind: all-reduce, threads: "*", tuple: int, combine: sum,
          levels: [{group: all, on: n1}, {group: node, on: server}, {group: process}]}
    check: {kind: barrier, threads: "t[0-3]", path: checked, levels: [{group: all, on: n1}, {group: process}]}
placement:
  processes:
    p0: {node: n1, port: 7201, threads: "t[0-1]"}
    p1: {node: n1, port: 7202, threads: "t[2-3]"}
    p2: {node: n2, port: 7203, threads: "t[4-5]"}
collect: {points: [{at: [thread, element]}]}
scopes:
  whole: {at: [thread, element], levels: [{group: all, wrapper: gather}]}
  without-t5: {threads: "t[0-4]", levels: [{group: all, wrapper: gather}]}
  only-boxes: {paths: "{put,get}", levels: [{group: all, wrapper: gather}]}
)";

// Threads have all been idle for a minute unless a test says otherwise.
class Meeting : public testing_commands::MadeUpLook {
 public:
  /// There are three processes and two servers.
  explicit Meeting(const std::string& scope = "whole") : MadeUpLook(meeting_pathmap, scope, 5) {}

  /// The thread or joint `who` has been in operation `number` on its path since `since`, and has ended the
  /// previous one.
  Meeting& in(const std::string& who, const std::string& path, std::uint64_t number,
              std::uint64_t since = 50) {
    return ended(who, path, number - 1, since - 1).in_unnumbered(who, path, since, number);
  }
  /// As above, without a record of earlier operations.
  Meeting& in_unnumbered(const std::string& who, const std::string& path, std::uint64_t since = 50,
                         std::uint64_t sequence = 9) {
    EventRecord record = record_of(who, path);
    record.sequence = sequence;
    record.start = ticks(since);
    add(record);
    return *this;
  }
  Meeting& ended(const std::string& who, const std::string& path, std::uint64_t number, std::uint64_t at = 40,
                 Status status = Status::ok) {
    EventRecord record = record_of(who, path);
    record.sequence = record.parameter = number;
    record.start = record.end = ticks(at);
    record.status = status;
    add(record);
    return *this;
  }
  Meeting& all_in(const std::vector<std::string>& who, const std::string& path, std::uint64_t number) {
    for (const std::string& one : who) in(one, path, number);
    return *this;
  }
  Meeting& process(std::uint32_t number, RunState state) {
    view_.processes[number].state = state;
    return *this;
  }
  /// The server of node n2 does not answer.
  Meeting& silent_n2() {
    std::erase_if(view_.processes,
                  [](const ProcessReport& report) { return report.process == 2 || report.process == 4; });
    view_.missing.push_back({"n2", "server of node n2", MissingCause::no_answer, "no answer in time", 6});
    return *this;
  }
  Meeting& not_bound(const std::string& thread) {
    for (ProcessReport& process : view_.processes) {
      for (ThreadReport& one : process.threads)
        if (ThreadIndex(one.thread) == plan_->find_thread(thread)) one.tid = 0;
    }
    return *this;
  }

  /// The report of the last look.
  [[nodiscard]] const HealthReport& report() const { return report_; }
  [[nodiscard]] std::string absences(const std::string& thread) const {
    for (const ThreadHealth& health : report_.threads)
      if (ThreadIndex(health.thread) == plan_->find_thread(thread)) return absences_of(health, names_);
    return "not judged";
  }
  [[nodiscard]] std::string said() const {
    std::string text;
    for (const Culprit& culprit : report_.culprits) text += describe_culprit(culprit, report_, names_) + "\n";
    return text;
  }

 private:
  [[nodiscard]] EventRecord record_of(const std::string& who, const std::string& path) const {
    const bool is_collective = plan_->end_of(path_of(who, path)).joint().has_value();
    return MadeUpLook::record_of(who, path, is_collective ? Verb::exchange : Verb::take);
  }
};

using Blamed = std::map<std::string, std::size_t>;

TEST(CollectiveCulprits, AnAbsentThreadIsNamedWithAllThatWaitForIt) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7).ended("t5", "sum", 6);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
  EXPECT_EQ(meeting.report().culprits.size(), 1u);
  EXPECT_EQ(meeting.absences("t5"), "sum");
  EXPECT_EQ(meeting.absences("t4"), "");
  EXPECT_THAT(meeting.said(), HasSubstr("STALL at t5: blocked outside operations, silent for 1min 0s; "
                                        "5 threads wait for it; it has not come to sum\n"));
}

TEST(CollectiveCulprits, AThreadWithoutAnyRecordIsNamedToo) {
  Meeting meeting;
  for (const char* thread : {"t0", "t1", "t2", "t3", "t4"}) meeting.in_unnumbered(thread, "sum", 50, 1);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
}

TEST(CollectiveCulprits, AThreadThatHasNotStartedAndAThreadOfAnEndedProcessAreNamed) {
  Meeting meeting;
  meeting.all_in({"t2", "t3", "t4"}, "sum", 7)
      .process(0, RunState::ended)
      .ended("t0", "sum", 6)
      .ended("t1", "sum", 6)
      .not_bound("t5");
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t0", 3}, {"t1", 3}, {"t5", 3}}));
  EXPECT_THAT(meeting.said(), HasSubstr("STALL at t0: ended, "));
  EXPECT_THAT(meeting.said(), HasSubstr("STALL at t5: not started, "));
}

TEST(CollectiveCulprits, ARunningThreadThatDoesNotArriveIsNamed) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7).ended("t5", "get", 400, 99);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
  EXPECT_THAT(meeting.said(), HasSubstr("STALL at t5: running, "));
}

TEST(CollectiveCulprits, EachOfSeveralIsNamedWithAllThatWait) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t4"}, "sum", 7);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t2", 3}, {"t3", 3}, {"t5", 3}}));
}

TEST(CollectiveCulprits, WaitingJointsAreNeitherCulpritsNorCounted) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7)
      .in("sum/n1", "sum", 7)
      .in("sum/n1/p0", "sum", 7)
      .in("sum/n1/p1", "sum", 7);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
  EXPECT_EQ(meeting.report().culprits.size(), 1u);
}

TEST(CollectiveCulprits, NoThreadIsBlamedWhenAllHaveArrivedAndTheResultIsOnItsWay) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4", "t5"}, "sum", 7)
      .in("sum/n1", "sum", 7)
      .in("sum/n1/p0", "sum", 7)
      .in("sum/n1/p1", "sum", 7)
      .in("sum/n2/p2", "sum", 7);
  EXPECT_THAT(meeting.blamed(), IsEmpty());
  EXPECT_EQ(meeting.report().culprits.size(), 10u);
  EXPECT_THAT(meeting.said(), testing::Not(HasSubstr("has not come")));
}

TEST(CollectiveCulprits, TheChainContinuesToTheThreadThatTheAbsentThreadWaitsFor) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3"}, "sum", 7).in("t5", "get", 30).ended("t4", "sum", 6);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t4", 5}})) << "t5 waits for it, too";
  EXPECT_EQ(meeting.report().culprits.size(), 1u);
  EXPECT_EQ(meeting.absences("t5"), "sum");
  EXPECT_EQ(meeting.absences("t4"), "sum");
}

TEST(CollectiveCulprits, AnAbsentThreadThatWaitsForAPresentOneIsInACircleWithIt) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3"}, "sum", 7).in("t4", "sum", 7, 30).in("t5", "get", 30);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t4", 5}}));
  ASSERT_EQ(meeting.report().culprits.size(), 1u);
  EXPECT_THAT(meeting.report().culprits[0].circle, ElementsAre(4, 5));
}

TEST(CollectiveCulprits, AThreadInAnotherCollectiveLeadsToTheThreadsAbsentFromThat) {
  Meeting meeting;
  meeting.all_in({"t4", "t5"}, "sum", 7).all_in({"t0", "t1", "t2"}, "checked", 3).ended("t3", "checked", 2);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t3", 5}}));
  EXPECT_EQ(meeting.absences("t3"), "sum, checked");
  EXPECT_EQ(meeting.absences("t0"), "sum");
}

TEST(CollectiveCulprits, TwoCollectivesInTheWrongOrderAreACircle) {
  Meeting meeting;
  meeting.all_in({"t0", "t1"}, "checked", 3).all_in({"t3", "t4"}, "sum", 7).in("t2", "sum", 7, 20);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}, {"t2", 4}}));
  const auto& culprits = meeting.report().culprits;
  ASSERT_EQ(culprits.size(), 2u);
  EXPECT_THAT(culprits[1].circle, ElementsAre(0, 1, 2, 3));
}

TEST(CollectiveCulprits, TwoConcurrentOperationsHaveSeparateCulprits) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2"}, "checked", 3).ended("t3", "checked", 2).in("t5", "get", 30);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t3", 3}, {"t4", 1}}));
}

// --- numbers of operations ---

TEST(CollectiveCulprits, AThreadInThePreviousOperationIsNamed) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7).in("t5", "sum", 6);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
  EXPECT_THAT(meeting.said(), HasSubstr("STALL at t5: stuck in operation, "));
}

TEST(CollectiveCulprits, AThreadInAnUnknownOperationCountsAsPresent) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3"}, "sum", 7).in_unnumbered("t4", "sum", 50, 2);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
}

TEST(CollectiveCulprits, AFailedOperationDoesNotDetermineTheNextNumber) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3"}, "sum", 7)
      .ended("t4", "sum", 4, 40, Status::closed)
      .in_unnumbered("t4", "sum", 50, 5);
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t5", 5}}));
}

TEST(CollectiveCulprits, AThreadThatHasCompletedTheOperationIsNotBlamed) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7).ended("t5", "sum", 7, 99);
  EXPECT_THAT(meeting.blamed(), IsEmpty());
}

TEST(CollectiveCulprits, ARecordAtEitherEndOfThePathShowsThatTheThreadHasArrived) {
  Meeting meeting;
  meeting.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7).in_unnumbered("t5", "sum", 99);
  EXPECT_THAT(meeting.blamed(), IsEmpty());
}

// --- unreachable, stopped and dead threads ---

TEST(CollectiveCulprits, AnUnreachableThreadIsNamedOnlyIfAllOthersHaveArrived) {
  Meeting others;
  others.all_in({"t0", "t1", "t2", "t3"}, "sum", 7).silent_n2();
  EXPECT_EQ(others.blamed(), (Blamed{{"t4", 4}, {"t5", 4}}));
  EXPECT_EQ(others.absences("t5"), "") << "nobody knows";
  Meeting one;
  one.all_in({"t0", "t1", "t2"}, "sum", 7).silent_n2();
  EXPECT_EQ(one.blamed(), (Blamed{{"t3", 3}}));
}

TEST(CollectiveCulprits, AStoppedProcessIsNamedEvenIfItsThreadsSeemToHaveArrived) {
  Meeting meeting;
  meeting.process(2, RunState::stopped).all_in({"t0", "t1", "t2", "t3"}, "sum", 7);
  meeting.in_unnumbered("t4", "sum").in_unnumbered("t5", "sum");
  EXPECT_EQ(meeting.blamed(), (Blamed{{"t4", 4}, {"t5", 4}}));
}

TEST(CollectiveCulprits, ThreadsThatTheScopeDoesNotReadAreNotJudged) {
  Meeting without("without-t5");
  without.all_in({"t0", "t1", "t2", "t3", "t4"}, "sum", 7);
  EXPECT_THAT(without.blamed(), IsEmpty());
  Meeting boxes("only-boxes");
  boxes.in("t5", "get", 30);
  EXPECT_EQ(boxes.blamed(), (Blamed{{"t4", 1}}));
  EXPECT_EQ(boxes.absences("t4"), "");
}

}  // namespace
}  // namespace eventspace
