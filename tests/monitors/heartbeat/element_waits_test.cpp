#include "monitors/heartbeat/element_waits.h"

#include <gmock/gmock.h>

#include "monitors/heartbeat/element_wait_text.h"
#include "monitors/heartbeat/health_text.h"
#include "tests/monitors/heartbeat/made_up_look.h"

// Tests the waits of threads that are stuck at elements, with made-up views.
namespace eventspace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two writers and two readers of a queue of 50; a writer and a reader of a box; all of them at a board, which
// discards.
constexpr const char* market_pathmap = R"(
pathmap: 1
name: market
cluster: {nodes: {n1: {host: 127.0.0.1, port: 7101}}}
application:
  threads: [w0, w1, r0, r1]
  elements:
    - {name: queue, tuple: [int], threshold: 50, when_full: wait}
    - {name: box, tuple: [int], threshold: 1, when_full: wait}
    - {name: board, tuple: [int], threshold: 5, when_full: discard}
    - {name: own, tuple: [int], threshold: 7, when_full: wait}
  paths:
    - {thread: "w*", name: put, element: queue, use: write}
    - {thread: "r*", name: get, element: queue, use: read}
    - {thread: w0, name: into, element: box}
    - {thread: r0, name: from, element: box}
    - {thread: "*", name: post, element: board}
    - {thread: w1, name: note, element: own}
placement:
  processes:
    pw: {node: n1, port: 7201, threads: [w0]}
    px: {node: n1, port: 7202, threads: [w1]}
    pr: {node: n1, port: 7203, threads: [r0, r1]}
  elements: [{elements: "*", process: pr}, {elements: own, process: px}]
collect: {points: [{at: thread}]}
scopes:
  whole: {levels: [{group: all, wrapper: gather}]}
)";

// Threads have just ended an operation elsewhere unless a test says otherwise.
class Market : public testing_commands::MadeUpLook {
 public:
  Market() : MadeUpLook(market_pathmap, "whole", 3) {}

  /// `thread` has been in `verb` on its path since 50 s.
  Market& stuck(const std::string& thread, const std::string& path, Verb verb) {
    EventRecord record = record_of(thread, path, verb);
    record.sequence = 9;
    record.start = ticks(50);
    add(record);
    return *this;
  }
  /// `thread` ended `verb` on its path at `at`.
  Market& ended(const std::string& thread, const std::string& path, Verb verb, std::uint64_t at = 99) {
    EventRecord record = record_of(thread, path, verb);
    record.sequence = 8;
    record.start = record.end = ticks(at);
    record.status = Status::ok;
    add(record);
    return *this;
  }
  Market& process(const std::string& name, RunState state) {
    view_.processes[plan_->find_process(name)->number()].state = state;
    return *this;
  }

  /// The text on the waits at elements, one line each.
  std::string said() {
    look();
    std::string text;
    for (const ElementWait& wait : report_.element_waits) text += describe_wait(wait, *plan_, names_) + "\n";
    return text;
  }
  std::vector<std::string> lines_of(const std::vector<ElementWait>& waits, bool all) const {
    return describe_waits(waits, *plan_, names_, all);
  }
  std::string json() {
    look();
    return json_of(report_.element_waits.at(0), *plan_, names_).dump();
  }
};

using Blamed = std::map<std::string, std::size_t>;

TEST(ElementWaits, AStuckWriterIsShownWithThePossibleTakersAndTheirStates) {
  Market market;
  market.stuck("w0", "put", Verb::write)
      .ended("r0", "get", Verb::read)
      .ended("r1", "post", Verb::write)
      .ended("w1", "put", Verb::write);
  EXPECT_EQ(market.said(),
            "WAIT at queue: w0 waits to write; could take: r0 (running, last a read), r1 (running)\n");
  EXPECT_THAT(market.blamed(), IsEmpty()) << "one of the two may take at any moment";
}

TEST(ElementWaits, TheOnlyThreadThatCouldEndAWaitIsBlamed) {
  Market market;
  market.stuck("w0", "into", Verb::write).ended("r0", "from", Verb::read);
  EXPECT_EQ(market.said(), "WAIT at box: w0 waits to write; could take: r0 (running, last a read)\n");
  EXPECT_EQ(market.blamed(), (Blamed{{"r0", 1}}));
}

TEST(ElementWaits, ATakerWhoseWritersHaveAllEndedOrDiedIsReported) {
  Market market;
  market.stuck("r0", "get", Verb::take)
      .ended("r1", "get", Verb::take)
      .process("pw", RunState::dead)
      .process("px", RunState::ended)
      .ended("w0", "put", Verb::write, 40)
      .ended("w1", "put", Verb::write, 40);
  EXPECT_EQ(market.said(),
            "WAIT at queue: r0 waits to take; no thread is left to write: "
            "w0 (process dead, last a write), w1 (ended, last a write)\n");
  EXPECT_EQ(market.blamed(), (Blamed{{"w0", 1}, {"w1", 1}}));
}

TEST(ElementWaits, AStalledWriterIsBlamedWhenTheOtherWriterIsGone) {
  Market market;
  market.stuck("r0", "get", Verb::take)
      .stuck("r1", "get", Verb::read)
      .process("pw", RunState::ended)
      .ended("w0", "put", Verb::write, 40)
      .ended("w1", "put", Verb::write, 40);
  EXPECT_EQ(market.blamed(), (Blamed{{"w1", 2}}));
  EXPECT_THAT(market.said(), HasSubstr("r0, r1 wait to take or read; could write: w0 (ended"));
}

TEST(ElementWaits, AWriterOfAFullElementAndAReaderThatWaitsForItsNextTupleAreACircle) {
  Market market;
  market.stuck("w0", "into", Verb::write).stuck("r0", "from", Verb::read);
  const HealthReport& report = market.look();
  ASSERT_EQ(report.culprits.size(), 1u);
  EXPECT_THAT(report.culprits[0].circle, ElementsAre(0, 2));
  EXPECT_EQ(report.culprits[0].waiting, 1u);
}

TEST(ElementWaits, ACircleThroughAnElementWithManyUsersNeedsAllOfThemToBeStuck) {
  Market market;
  market.stuck("w0", "put", Verb::write)
      .stuck("w1", "put", Verb::write)
      .stuck("r0", "get", Verb::read)
      .stuck("r1", "get", Verb::read);
  const HealthReport& all = market.look();
  ASSERT_EQ(all.culprits.size(), 1u);
  EXPECT_THAT(all.culprits[0].circle, ElementsAre(0, 1, 2, 3));

  Market one_is_free;
  one_is_free.stuck("w0", "put", Verb::write)
      .stuck("w1", "put", Verb::write)
      .stuck("r0", "get", Verb::read)
      .ended("r1", "post", Verb::write, 40);
  EXPECT_EQ(one_is_free.blamed(), (Blamed{{"r1", 3}})) << "a take by r1 would let all go on";
}

TEST(ElementWaits, ThreadsThatAllWaitForATupleThatOnlyTheyCouldWriteAreACircle) {
  Market market;
  market.stuck("w0", "post", Verb::take)
      .stuck("w1", "post", Verb::take)
      .stuck("r0", "post", Verb::take)
      .stuck("r1", "post", Verb::take);
  const HealthReport& report = market.look();
  ASSERT_EQ(report.culprits.size(), 1u);
  EXPECT_THAT(report.culprits[0].circle, ElementsAre(0, 1, 2, 3));
}

TEST(ElementWaits, AWriteThatWaitsInItsOwnProcessShowsTheElementAsFull) {
  Market market;
  market.stuck("w1", "note", Verb::write);
  EXPECT_EQ(market.said(), "WAIT at own: 7 of 7 tuples; w1 waits to write; no other thread could take\n");
  EXPECT_EQ(market.json(),
            R"({"element":"own","for":"room","kept":7,"capacity":7,"waiting":["w1"],"could_end":[],)"
            R"("all_gone":false})");
}

TEST(ElementWaits, AWriteToAnElementThatDiscardsWaitsForNoThread) {
  Market market;
  market.stuck("w0", "post", Verb::write);
  EXPECT_EQ(market.said(), "");
}

// Ten waits that a stuck thread could end, and two that a running one could.
TEST(ElementWaits, ManyWaitsAreReducedToTheEndsOfChainsAndACount) {
  Market market;
  const auto wait_for = [](std::uint32_t thread, Verdict verdict) {
    return ElementWait{
        .element = ElementIndex(1), .waiting = {2}, .verbs = {Verb::take}, .could_end = {{thread, verdict}}};
  };
  std::vector<ElementWait> waits(10, wait_for(1, Verdict::stuck));
  waits.resize(12, wait_for(0, Verdict::running));
  const std::string end = "WAIT at box: r0 waits to take; could write: w0 (running)";
  EXPECT_THAT(market.lines_of(waits, false),
              ElementsAre(end, end, "WAIT at 10 more elements: --list all lists them"));
  EXPECT_EQ(market.lines_of(waits, true).size(), 12u);
}

TEST(ElementWaits, ALargeCircleIsReducedToEightLinesAndACount) {
  Market market;
  const ElementWait wait{
      .element = ElementIndex(1), .waiting = {2}, .verbs = {Verb::take}, .could_end = {{1, Verdict::stuck}}};
  const std::vector<std::string> lines = market.lines_of(std::vector<ElementWait>(9, wait), false);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines.back(), "WAIT at 1 more element: --list all lists them");
  EXPECT_EQ(market.lines_of(std::vector<ElementWait>(8, wait), false).size(), 8u);
}

TEST(ElementWaits, JsonObjectsHaveUsersWithVerdicts) {
  Market market;
  market.stuck("w0", "into", Verb::write).ended("r0", "from", Verb::read);
  EXPECT_EQ(market.json(),
            R"({"element":"box","for":"room","kept":null,"capacity":null,"waiting":["w0"],)"
            R"("could_end":[{"thread":"r0","verdict":"running","last":"read"}],"all_gone":false})");
}

}  // namespace
}  // namespace eventspace
