#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* idle_and_usual = "  nodes: {n1: {priority: idle}, n2: {}}\n";
constexpr const char* one_thread_each =
    "  processes: {p0: {node: n1, threads: a}, p1: {node: n2, threads: b}}\n"
    "  elements: [{elements: \"*\", process: p0}]\n";
constexpr const char* a_level_by_node =
    "  s: {timeout: 2s, levels: [{group: all, wrapper: gather}, {group: node, wrapper: gather}]}\n";

Priority priority_of(const Plan& plan, const std::string& node) {
  return plan.nodes[*plan.find_node(node)].priority;
}

TEST(Priorities, ServersAreLowUnlessTheApplicationWaitsForThem) {
  EXPECT_EQ(priority_of(PathmapText().plan(), "n1"), Priority::low);
  const Plan hosting = PathmapText()
                           .placement(
                               "  processes: {p0: {node: n1, threads: \"*\"}}\n"
                               "  elements: [{elements: box, node: n1}]\n")
                           .plan();
  EXPECT_EQ(priority_of(hosting, "n1"), Priority::normal);
}

TEST(Priorities, AGatewayOnTheWayOfTheApplicationIsNormal) {
  const Plan plan =
      PathmapText()
          .cluster(
              "  nodes: {n1: {port: 7101}, n2: {host: 127.0.0.2, port: 7102}, n3: {host: "
              "127.0.0.3, port: 7103}}\n"
              "  clusters: {c: {gateway: n2, nodes: [n2, n3]}}\n")
          .placement(
              "  processes: {p0: {node: n1, threads: a}, p1: {node: n3, port: 7104, threads: b}}\n"
              "  elements: [{elements: \"*\", process: p1}]\n")
          .plan();
  EXPECT_EQ(priority_of(plan, "n2"), Priority::normal);
  EXPECT_EQ(priority_of(plan, "n3"), Priority::low);
}

TEST(Priorities, TheNodesOwnCountsBeforeThatOfThePathmap) {
  const PathmapText text = PathmapText().cluster(idle_and_usual).placement(one_thread_each);
  const auto result = parse_plan("priority: normal\n" + text.text(), "small.yaml");
  ASSERT_TRUE(result.plan);
  EXPECT_EQ(priority_of(*result.plan, "n1"), Priority::idle);
  EXPECT_EQ(priority_of(*result.plan, "n2"), Priority::normal);
}

TEST(Priorities, ThatOfThePathmapIsNotForServersForWhichTheApplicationWaits) {
  const PathmapText text = PathmapText()
                               .cluster("  nodes: {n1: {}, n2: {}, n3: {priority: idle}}\n")
                               .placement(
                                   "  processes: {p0: {node: n1, threads: \"*\"}}\n"
                                   "  elements: [{elements: box, node: n2}]\n");
  const auto result = parse_plan("priority: idle\n" + text.text(), "small.yaml");
  ASSERT_TRUE(result.plan);
  EXPECT_EQ(priority_of(*result.plan, "n1"), Priority::idle);
  EXPECT_EQ(priority_of(*result.plan, "n2"), Priority::normal);
  EXPECT_EQ(priority_of(*result.plan, "n3"), Priority::idle);
}

TEST(Priorities, AnUnknownWordIsAFaultWithTheKnownOnes) {
  const auto faults = PathmapText().cluster("  nodes: {n1: {priority: high}}\n").faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0].text, HasSubstr("found 'high' for 'priority'"));
  EXPECT_THAT(faults[0].text, HasSubstr("idle"));
}

TEST(Priorities, AreNotPartOfTheFingerprint) {
  EXPECT_EQ(PathmapText().cluster("  nodes: {n1: {priority: idle}}\n").plan().fingerprint,
            PathmapText().cluster("  nodes: {n1: {priority: normal}}\n").plan().fingerprint);
}

TEST(Priorities, AnIdleServerIsGivenTimeToGetAProcessorAndTheOthersAreNot) {
  const Plan plan =
      PathmapText().cluster(idle_and_usual).placement(one_thread_each).scopes(a_level_by_node).plan();
  const ScopeNode& root = plan.find_scope("s")->root;
  EXPECT_EQ(root.timeout, 7s);
  ASSERT_EQ(root.children.size(), 2U);
  EXPECT_EQ(root.children[0].node, "n1");
  EXPECT_EQ(root.children[0].timeout, 0s) << "that of the root";
  EXPECT_EQ(root.children[0].allowance, 5s);
  EXPECT_EQ(root.children[1].timeout, 2s);
  EXPECT_EQ(root.children[1].allowance, 0s);
}

TEST(Priorities, WithoutIdleServersTimeOutsAreAsThePathmapSays) {
  const Plan plan = PathmapText().scopes(a_level_by_node).plan();
  const ScopeNode& root = plan.find_scope("s")->root;
  EXPECT_EQ(root.timeout, 2s);
  EXPECT_EQ(root.children[0].timeout, 0s);
}

TEST(Priorities, TheTimeOutOfALevelHasItsOwnAllowance) {
  const Plan plan = PathmapText()
                        .cluster("  nodes: {n1: {priority: idle}}\n")
                        .scopes(
                            "  s: {timeout: 2s, levels: [{group: all, wrapper: gather},\n"
                            "      {group: node, wrapper: gather, timeout: 100ms}]}\n")
                        .plan();
  const ScopeNode& root = plan.find_scope("s")->root;
  EXPECT_EQ(root.timeout, 7s);
  EXPECT_EQ(root.children[0].timeout, 5100ms);
  EXPECT_EQ(root.children[0].allowance, 5s);
}

}  // namespace
}  // namespace eventspace
