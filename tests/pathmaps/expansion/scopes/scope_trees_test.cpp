#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pathmaps/expansion/scopes/tree_text.h"
#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;

/// A pathmap of two clusters with a gateway and a node each. Thread a is on a1, b on b1, the element on b1's
/// server.
PathmapText clustered() {
  return PathmapText()
      .cluster(
          "  nodes:\n"
          "    ga: {host: h, port: 10}\n    a1: {host: h, port: 11}\n"
          "    gb: {host: h, port: 20}\n    b1: {host: h, port: 21}\n"
          "  clusters: {a: {gateway: ga, nodes: a1}, b: {gateway: gb, nodes: b1}}\n")
      .placement(
          "  processes: {pa: {node: a1, threads: a}, pb: {node: b1, threads: b}}\n"
          "  elements: [{elements: box, node: b1}]\n")
      .collect("  points: [{at: [thread, element]}]\n");
}

std::string tree(PathmapText text, const std::string& scope) {
  const auto plan = text.scopes("  s: {" + scope + "}\n").plan();
  return plan.scopes.empty() ? "" : tree_text(plan, plan.scopes[0].root);
}

constexpr auto gather_all = "{group: all, wrapper: gather}";

TEST(ScopeTree, ReadsRunOnTheServersThatMapTheSegments) {
  EXPECT_EQ(tree(clustered(), std::string("levels: [") + gather_all + "]"),
            "all: gather\n"
            "  read of all on node a1: read [a/out@thread] on a1 via ga\n"
            "  read of all on node b1: read [b/in@thread] on b1 via gb\n");
}

TEST(ScopeTree, LevelsNestFromTheConsumerToTheThreads) {
  EXPECT_EQ(
      tree(clustered(),
           std::string("at: [thread, element], levels: [") + gather_all +
               ", {group: cluster, wrapper: gather}, {group: node, wrapper: gather}, "
               "{group: process, wrapper: gather}, {group: thread, wrapper: {reduce: {keep: latest}}}]"),
      "all: gather\n"
      "  cluster a: gather on ga\n"
      "    node a1: gather on a1\n"
      "      process pa: gather\n"
      "        thread a: reduce\n"
      "          read of thread a on node a1: read [a/out@thread]\n"
      "  cluster b: gather on gb\n"
      "    node b1: gather on b1\n"
      "      process pb: gather\n"
      "        thread b: reduce\n"
      "          read of thread b on node b1: read [b/in@thread]\n"
      "      server of node b1: gather\n"
      "        thread a: reduce\n"
      "          read of thread a on node b1: read [a/out@element]\n"
      "        thread b: reduce\n"
      "          read of thread b on node b1: read [b/in@element]\n");
}

TEST(ScopeTree, AThreadLevelCombinesTraceElementsOnSeveralNodes) {
  EXPECT_EQ(tree(clustered(), std::string("threads: a, at: [thread, element], levels: [") + gather_all +
                                  ", {group: thread, wrapper: gather}]"),
            "all: gather\n"
            "  thread a: gather on a1 via ga\n"
            "    read of thread a on node a1: read [a/out@thread]\n"
            "    read of thread a on node b1: read [a/out@element] on b1 via gb\n");
}

TEST(ScopeTree, WrappersOfALevelWrapEachOther) {
  EXPECT_EQ(
      tree(PathmapText(), "levels: [{group: all, wrappers: [gather, {filter: {verbs: [write]}}, sort]}]"),
      "all: sort\n"
      "  all: filter\n"
      "    all: gather\n"
      "      read of all on node n1: read [a/out@thread b/in@thread] on n1\n");
}

TEST(ScopeTree, DirectReadsRunOnTheConsumer) {
  EXPECT_EQ(tree(PathmapText(), std::string("direct: true, levels: [") + gather_all + "]"),
            "all: gather\n  read of all: read [a/out@thread b/in@thread]\n");
}

TEST(ScopeTree, ALevelCanRunOnANamedNode) {
  EXPECT_EQ(tree(clustered(),
                 "threads: a, levels: [{group: all, on: gb, wrapper: gather}, {group: node, on: gb, wrapper: "
                 "gather}]"),
            "all: gather on gb\n"
            "  node a1: gather\n"
            "    read of node a1 on node a1: read [a/out@thread] on a1 via ga\n");
}

TEST(ScopeTree, RoutesWithinAClusterPassNoGateway) {
  EXPECT_EQ(tree(clustered(), "threads: b, levels: [{group: all, on: gb, wrapper: gather}]"),
            "all: gather on gb\n  read of all on node b1: read [b/in@thread] on b1\n");
}

TEST(ScopeTree, ExceptExcludesTraceElements) {
  EXPECT_EQ(tree(PathmapText(), std::string("except: [{threads: a}], levels: [") + gather_all + "]"),
            "all: gather\n  read of all on node n1: read [b/in@thread] on n1\n");
}

TEST(ScopeTree, TimeoutsAreOnTheNodesOfTheirLevels) {
  const auto plan =
      PathmapText()
          .scopes(
              "  s: {timeout: 500ms, read: next, batch: 10, levels: [{group: all, wrapper: gather}, "
              "{group: node, timeout: 100ms, wrappers: [gather, sort]}]}\n")
          .plan();
  const auto& scope = plan.scopes.at(0);
  EXPECT_TRUE(scope.next);
  EXPECT_EQ(scope.batch, 10U);
  EXPECT_EQ(scope.fingerprint, plan.fingerprint);
  EXPECT_EQ(scope.root.timeout, std::chrono::milliseconds(500));
  const auto& node = scope.root.children.at(0);
  EXPECT_EQ(node.wrapper, "sort");
  EXPECT_EQ(node.timeout, std::chrono::milliseconds(100));
  EXPECT_EQ(node.children.at(0).timeout.count(), 0);
}

TEST(ScopeTree, AskingIsOnTheNodeOfTheFirstWrapper) {
  const auto plan =
      PathmapText()
          .scopes(
              "  s: {levels: [{group: all, wrappers: [gather, sort], ask: in-turn, late: {skip: 3s}}, "
              "{group: node, wrapper: gather, late: wait}, "
              "{group: thread, wrapper: gather, ask: {threads: 4}, late: skip}]}\n")
          .plan();
  const auto& sort = plan.scopes.at(0).root;
  EXPECT_EQ(sort.asking, Asking::overlapped);
  const auto& all = sort.children.at(0);
  EXPECT_EQ(all.asking, Asking::in_turn);
  EXPECT_EQ(all.when_late, WhenLate::skip);
  EXPECT_EQ(all.longest_skip, std::chrono::seconds(3));
  const auto& node = all.children.at(0);
  EXPECT_EQ(node.asking, Asking::overlapped);
  EXPECT_EQ(node.when_late, WhenLate::wait);
  const auto& thread = node.children.at(0);
  EXPECT_EQ(thread.asking, Asking::threads);
  EXPECT_EQ(thread.threads, 4U);
  EXPECT_EQ(thread.when_late, WhenLate::skip);
  EXPECT_EQ(thread.longest_skip, std::chrono::seconds(10));
}

TEST(ScopeTree, ALevelMayAskWithThreadsIfSomeChildrenRunInItsPlace) {
  const auto text = clustered().scopes(
      "  s: {at: [thread, element], levels: [{group: all, wrapper: gather}, "
      "{group: thread, wrapper: gather, ask: {threads: 2}}]}\n");
  EXPECT_TRUE(text.faults().empty());
}

TEST(ScopeTree, ReadModeAndLimitsAreThoseOfTheScope) {
  const auto plan = PathmapText()
                        .scopes(
                            "  newest: {levels: [{group: all, wrapper: gather}]}\n"
                            "  next: {read: next, most: 2, levels: [{group: all, wrapper: gather}]}\n"
                            "  since: {read: since, since: 5s, levels: [{group: all, wrapper: gather}]}\n")
                        .plan();
  const auto& newest = plan.scopes.at(0);
  EXPECT_FALSE(newest.next);
  EXPECT_EQ(newest.most, 500'000U);
  EXPECT_EQ(newest.since, std::nullopt);
  const auto& next = plan.scopes.at(1);
  EXPECT_TRUE(next.next);
  EXPECT_EQ(next.most, 2U);
  const auto& since = plan.scopes.at(2);
  EXPECT_TRUE(since.next);
  EXPECT_EQ(since.since, std::chrono::seconds(5));
}

TEST(ScopeTree, RoutesAndPlacesAreEndpoints) {
  const auto plan = clustered().plan();
  const auto& read = plan.scopes.at(0).root.children.at(0);
  EXPECT_EQ(read.endpoint, "tcp://h:11");
  EXPECT_THAT(read.route, ElementsAre("tcp://h:10"));
}

}  // namespace
}  // namespace eventspace
