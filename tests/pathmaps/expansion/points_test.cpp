#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pathmaps/pathmap_text.h"

// Event collectors at the ends of paths and between their stages.

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Thread a writes to box through three stages, thread b reads from it through one.
PathmapText staged(const std::string& rows) {
  return PathmapText()
      .application(
          "  threads: [a, b]\n  elements: [{name: box, tuple: [int]}]\n"
          "  paths:\n"
          "    - {thread: a, name: out, element: box, use: write, stages: [{delay: {for: 1ms}}]}\n"
          "    - {thread: b, name: in, element: box, use: read}\n"
          "  stages:\n"
          "    - {paths: out, wrappers: [{delay: {for: 2ms}}, {delay: {for: 3ms}}]}\n"
          "    - {paths: in, wrappers: [{delay: {for: 4ms}}]}\n")
      .collect("  points:\n" + rows)
      .scopes("");
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const TracePlan& trace : plan.traces) names.push_back(trace.name);
  return names;
}
std::vector<std::string> collected(const std::string& rows) { return names_of(staged(rows).plan()); }

/// Returns the text of the first fault of the rows.
std::string fault_of(const std::string& rows) {
  const auto faults = staged(rows).faults();
  return faults.empty() ? "no fault" : faults.front().text;
}

TEST(Points, EventCollectorsCanBeBetweenTheStagesOfAPath) {
  EXPECT_THAT(collected("    - {paths: out, at: [element, after-2, thread, after-1]}\n"),
              ElementsAre("a/out@thread", "a/out@after-1", "a/out@after-2", "a/out@element"));
}

TEST(Points, BehindTheLastStageIsBeforeTheNetwork) {
  const Plan plan = staged("    - {paths: in, at: [after-1, element]}\n")
                        .cluster(
                            "  nodes:\n    n1: {host: 127.0.0.1, port: 7101}\n"
                            "    n2: {host: 127.0.0.1, port: 7102}\n")
                        .placement(
                            "  processes:\n    p0: {node: n1, port: 7201, threads: a}\n"
                            "    p1: {node: n2, threads: b}\n")
                        .plan();
  ASSERT_THAT(names_of(plan), ElementsAre("b/in@after-1", "b/in@element"));
  EXPECT_EQ(host_name(plan, plan.traces.at(TraceIndex(0)).host), "p1");
  EXPECT_EQ(host_name(plan, plan.traces.at(TraceIndex(1)).host), "p0");
}

TEST(Points, BeforeAStageIsBehindTheOneBefore) {
  EXPECT_THAT(collected("    - {paths: out, at: [before-1, before-3, after-2]}\n"),
              ElementsAre("a/out@thread", "a/out@after-2"));
}

TEST(Points, AStageCanBeNamedByItsWrapper) {
  EXPECT_THAT(collected("    - {paths: in, at: after-delay}\n"), ElementsAre("b/in@after-1"));
  EXPECT_THAT(collected("    - {paths: in, at: before-delay}\n"), ElementsAre("b/in@thread"));
}

TEST(Points, BothEndsHaveOneWord) {
  EXPECT_THAT(collected("    - {paths: in, at: both}\n"), ElementsAre("b/in@thread", "b/in@element"));
  EXPECT_THAT(collected("    - {paths: in, at: [both, after-1]}\n"),
              ElementsAre("b/in@thread", "b/in@after-1", "b/in@element"));
}

TEST(Points, APathWithoutTheStageHasNoSuchPoint) {
  EXPECT_THAT(collected("    - {at: [thread, after-2]}\n"),
              ElementsAre("a/out@thread", "a/out@after-2", "b/in@thread"));
}

TEST(Points, ARowReplacesEarlierRowsUnlessItAdds) {
  EXPECT_THAT(collected("    - {at: both}\n    - {paths: out, at: after-1}\n"),
              ElementsAre("a/out@after-1", "b/in@thread", "b/in@element"));
  EXPECT_THAT(collected("    - {at: thread}\n    - {paths: out, at: after-1, add: true}\n"),
              ElementsAre("a/out@thread", "a/out@after-1", "b/in@thread"));
  EXPECT_THAT(collected("    - {at: thread}\n    - {paths: out, at: [], add: true}\n"), SizeIs(2));
}

TEST(Points, EachPointOfAPathCanHaveAThresholdOfItsOwn) {
  const Plan plan = staged(
                        "    - {at: both, threshold: 10}\n"
                        "    - {paths: out, at: [after-1, element], threshold: 20, add: true}\n")
                        .plan();
  std::vector<std::uint32_t> thresholds;
  for (const TracePlan& trace : plan.traces) thresholds.push_back(trace.threshold);
  EXPECT_THAT(thresholds, ElementsAre(10, 20, 20, 10, 10));
}

TEST(Annexes, ATraceElementIsInTheAnnexThatTheLastRowOfItsPointNames) {
  const Plan plan = staged(
                        "    - {at: both}\n    - {paths: out, at: [after-1, element], in: long, add: true}\n"
                        "  annexes: {far: {directory: /mnt/../mnt/big}, long: {keep: 48h}}\n")
                        .plan();
  ASSERT_THAT(names_of(plan),
              ElementsAre("a/out@thread", "a/out@after-1", "a/out@element", "b/in@thread", "b/in@element"));
  std::vector<std::string> annexes;
  for (const TracePlan& trace : plan.traces)
    annexes.push_back(trace.annex ? plan.annexes[*trace.annex].name : "");
  EXPECT_THAT(annexes, ElementsAre("", "long", "long", "", ""));
  EXPECT_THAT(plan.annex_directories(), ElementsAre("/mnt/big"));
  EXPECT_EQ(plan.annexes[AnnexIndex(1)].keep, std::chrono::hours(48));
}

TEST(Annexes, AreBounded) {
  std::string annexes = "  annexes:\n";
  for (int i = 0; i < 17; ++i) annexes += "    a" + std::to_string(i) + ": {keep: 1h}\n";
  EXPECT_EQ(fault_of("    - {at: thread}\n" + annexes),
            "found 17 annexes; each is a file per process, and at most 16 are allowed");
}

TEST(Annexes, DoNotChangeTheNumbersOfTraceElements) {
  const Plan without = staged("    - {at: both}\n").plan();
  const Plan with = staged("    - {at: both, in: long}\n  annexes: {long: {keep: 48h}}\n").plan();
  EXPECT_EQ(without.fingerprint, with.fingerprint);
}

TEST(Points, AScopeChoosesAmongThePointsByTheSameWords) {
  const auto sources = [](const std::string& keys) {
    const Plan plan =
        staged("    - {at: [both, after-1, after-2]}\n")
            .scopes("  s: {direct: true, " + keys + "levels: [{group: all, wrapper: gather}]}\n")
            .plan();
    std::vector<std::string> names;
    for (const SourceRef& source : plan.scopes.front().root.children.front().sources)
      names.push_back(plan.traces[TraceIndex(source.trace)].name);
    return names;
  };
  EXPECT_THAT(sources(""), ElementsAre("a/out@thread", "b/in@thread"));
  EXPECT_THAT(sources("at: after-2, "), ElementsAre("a/out@after-2"));
  EXPECT_THAT(sources("paths: in, at: [thread, after-delay], "), ElementsAre("b/in@thread", "b/in@after-1"));
  EXPECT_THAT(sources("at: [both, after-1], except: [{paths: out}], "),
              ElementsAre("b/in@thread", "b/in@after-1", "b/in@element"));
}

TEST(Points, FaultsSayWhatIsPossible) {
  EXPECT_THAT(
      fault_of("    - {at: befor-1}\n"),
      HasSubstr("found 'befor-1' for 'at'; allowed: thread, element, both, before-STAGE, after-STAGE"));
  EXPECT_THAT(fault_of("    - {at: after-0}\n"), HasSubstr("stages are numbered from 1"));
  EXPECT_THAT(fault_of("    - {at: after-10}\n"), HasSubstr("behind the first 9 stages"));
  EXPECT_THAT(fault_of("    - {at: after-99999999999999999999}\n"), HasSubstr("behind the first 9 stages"));
  EXPECT_THAT(fault_of("    - {at: after-}\n"), HasSubstr("unknown stage ''"));
  EXPECT_THAT(fault_of("    - {at: after-delya}\n"),
              HasSubstr("unknown stage 'delya'; did you mean 'delay'?; known: delay"));
  EXPECT_THAT(fault_of("    - {at: after-4}\n"),
              HasSubstr("'after-4': none of the selected paths has such a stage"));
  EXPECT_THAT(fault_of("    - {paths: out, at: after-delay}\n"),
              HasSubstr("path 'a/out' has 3 stages 'delay'; select one by its number, as in 'after-1'"));
}

TEST(Points, TheNumberOfAPointIsThatOfItsStage) {
  EXPECT_EQ(to_string(after_stage(1)), "after-1");
  EXPECT_EQ(to_string(after_stage(max_collected_stages)), "after-9");
  EXPECT_EQ(to_string(static_cast<CollectPoint>(4095)), "?");  // any number can be in a record
}

}  // namespace
}  // namespace eventspace
