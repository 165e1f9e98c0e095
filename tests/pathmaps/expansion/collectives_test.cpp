#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "pathmaps/plan/plan_names.h"
#include "tests/pathmaps/pathmap_text.h"

// Expansion of `collectives:` to joints, their hosts, paths and trace elements.

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A pathmap of eight threads in four processes on two nodes, in two clusters with a gateway each.
PathmapText eight_threads(const std::string& collective) {
  return PathmapText()
      .cluster(
          "  nodes:\n"
          "    n1: {host: 127.0.0.1, port: 7101}\n"
          "    n2: {host: 127.0.0.1, port: 7102}\n"
          "    g2: {host: 127.0.0.1, port: 7103}\n"
          "  clusters:\n"
          "    left: {nodes: n1}\n"
          "    right: {nodes: [n2, g2], gateway: g2}\n")
      .application("  threads: [\"t[0-7]\"]\n  collectives:\n    sum: " + collective + "\n")
      .placement(
          "  processes:\n"
          "    p0: {node: n1, port: 7201, threads: [t0, t1]}\n"
          "    p1: {node: n1, port: 7202, threads: [t2, t3]}\n"
          "    p2: {node: n2, port: 7203, threads: [t4, t5]}\n"
          "    p3: {node: n2, port: 7204, threads: [t6, t7]}\n")
      .collect("  points: [{at: [thread, element]}]\n")
      .scopes("");
}

std::string place_of(const Plan& plan, const JointPlan& joint) {
  const Host& host = plan.elements[joint.element].host;
  const auto* const process = std::get_if<ProcessIndex>(&host);
  return process != nullptr ? plan.processes[*process].name
                            : name_of_node_server(plan, std::get<NodeIndex>(host));
}

/// Describes each joint as "NAME@HOST(CHILDREN)": "sum@p0(t0 t1 sum/n2)".
std::vector<std::string> joints_of(const Plan& plan) {
  std::vector<std::string> texts;
  for (const auto& joint : plan.joints) {
    std::string children;
    for (const auto path : joint.children) {
      children += (children.empty() ? "" : " ") + plan.threads[plan.paths[path].thread].name;
      EXPECT_EQ(plan.paths[path].element, joint.element);
    }
    texts.push_back(fmt::format("{}@{}({})", joint.name, place_of(plan, joint), children));
  }
  return texts;
}

constexpr const char* all_reduce = "{kind: all-reduce, threads: \"*\", tuple: int, combine: sum";

Plan plan_with(const std::string& levels) {
  return eight_threads(std::string(all_reduce) + ", levels: [" + levels + "]}").plan();
}

TEST(Collectives, WithoutLevelsHaveOneJointInTheProcessOfTheFirstThread) {
  const auto plan = eight_threads(std::string(all_reduce) + "}").plan();
  EXPECT_THAT(joints_of(plan), ElementsAre("sum@p0(t0 t1 t2 t3 t4 t5 t6 t7)"));
  ASSERT_EQ(plan.collectives.size(), 1U);
  const auto& sum = plan.collectives.front();
  EXPECT_EQ(sum.kind, CollectiveKind::all_reduce);
  EXPECT_EQ(sum.signature, Signature({FieldType::integer}));
  EXPECT_THAT(sum.combine, ElementsAre("sum"));
  EXPECT_EQ(sum.root, std::nullopt);
  EXPECT_EQ(sum.participants.size(), 8U);
  EXPECT_EQ(plan.find_collective("sum"), &sum);
  EXPECT_EQ(plan.find_collective("product"), nullptr);
}

TEST(Collectives, HaveAJointForEachGroupOfALevel) {
  EXPECT_THAT(
      joints_of(plan_with("{group: all}, {group: node, on: server}, {group: process}")),
      ElementsAre("sum@p0(sum/n1 sum/n2)", "sum/n1@server@n1(sum/n1/p0 sum/n1/p1)", "sum/n1/p0@p0(t0 t1)",
                  "sum/n1/p1@p1(t2 t3)", "sum/n2@server@n2(sum/n2/p2 sum/n2/p3)", "sum/n2/p2@p2(t4 t5)",
                  "sum/n2/p3@p3(t6 t7)"));
}

TEST(Collectives, JointsAreWhereTheirLevelSays) {
  EXPECT_THAT(joints_of(plan_with("{group: all, on: p3}, {group: cluster, on: n1}")),
              ElementsAre("sum@p3(sum/left sum/right)", "sum/left@server@n1(t0 t1 t2 t3)",
                          "sum/right@server@n1(t4 t5 t6 t7)"));
  EXPECT_THAT(joints_of(plan_with("{group: all, on: server}")),
              ElementsAre("sum@server@n1(t0 t1 t2 t3 t4 t5 t6 t7)"));
}

TEST(Collectives, ArityInsertsJoints) {
  EXPECT_THAT(joints_of(plan_with("{group: all, on: n2, arity: 3}")),
              ElementsAre("sum@server@n2(sum/+1 sum/+2 sum/+3)", "sum/+1@server@n2(t0 t1)",
                          "sum/+2@server@n2(t2 t3 t4)", "sum/+3@server@n2(t5 t6 t7)"));
  EXPECT_THAT(
      joints_of(plan_with("{group: all, on: n2, arity: 2}")),
      ElementsAre("sum@server@n2(sum/+1 sum/+4)", "sum/+1@server@n2(sum/+2 sum/+3)",
                  "sum/+2@server@n2(t0 t1)", "sum/+3@server@n2(t2 t3)", "sum/+4@server@n2(sum/+5 sum/+6)",
                  "sum/+5@server@n2(t4 t5)", "sum/+6@server@n2(t6 t7)"));
}

TEST(Collectives, AGroupOfOneNeedsNoJoint) {
  const auto plan = eight_threads(
                        "{kind: barrier, threads: [t0, t1, t4], levels: [{group: all}, {group: node, on: "
                        "server}, {group: process}]}")
                        .plan();
  EXPECT_THAT(joints_of(plan), ElementsAre("sum@p0(sum/n1/p0 t4)", "sum/n1/p0@p0(t0 t1)"));
}

TEST(Collectives, AnUplinkIsAPathOfItsJoint) {
  const auto plan = plan_with("{group: all, on: n1}, {group: node, on: server}");
  ASSERT_EQ(plan.joints.size(), 3U);
  EXPECT_EQ(plan.thread_count(), 8U);
  EXPECT_EQ(plan.element_count(), 0U);
  EXPECT_EQ(plan.joints.front().uplink, std::nullopt);
  const PathIndex up = plan.joints.back().uplink.value_or(PathIndex(0));
  const auto& path = plan.paths.at(up);
  EXPECT_EQ(path.name, "sum");
  EXPECT_EQ(path.element, plan.joints.front().element);
  EXPECT_EQ(plan.end_of(up).joint(), JointIndex(0));
  const auto& thread = plan.threads.at(path.thread);
  EXPECT_EQ(thread.name, "sum/n2");
  EXPECT_EQ(thread.joint(), JointIndex(2));
  EXPECT_EQ(thread.host(), Host(NodeIndex(1)));
}

TEST(Collectives, UplinksPassGateways) {
  const auto plan = plan_with("{group: all, on: n2}, {group: node, on: server}");
  const auto uplink = [&](std::size_t joint) {
    return plan.paths.at(plan.joints.at(JointIndex(joint)).uplink.value());
  };
  EXPECT_THAT(uplink(1).route, ElementsAre(NodeIndex(2)));
  EXPECT_THAT(uplink(2).route, IsEmpty());
}

TEST(Collectives, EachPathOfATreeCanBeCollected) {
  const auto plan = plan_with("{group: all, on: n1}, {group: node, on: server}");
  std::vector<std::string> of_n2;
  for (const auto& trace : plan.traces) {
    if (trace.host == Host(NodeIndex(1))) of_n2.push_back(trace.name);
  }
  EXPECT_THAT(of_n2, ElementsAre("t4/sum@element", "t5/sum@element", "t6/sum@element", "t7/sum@element",
                                 "sum/n2/sum@thread"));
  const auto up = plan.paths.at(plan.joints.at(JointIndex(2)).uplink.value());
  ASSERT_EQ(up.traces.size(), 2U);
  EXPECT_EQ(plan.traces.at(up.traces[1]).name, "sum/n2/sum@element");
  EXPECT_EQ(plan.node_of(plan.traces.at(up.traces[1]).host), NodeIndex(0));
}

TEST(Collectives, GlobsOfThreadsChooseJointsOnlyWithTwoStars) {
  auto text = eight_threads(std::string(all_reduce) + ", levels: [{group: all}, {group: node, on: server}]}");
  EXPECT_EQ(text.collect("  points: [{threads: \"*\", at: thread}]\n").plan().traces.size(), 8U);
  EXPECT_EQ(text.collect("  points: [{threads: \"**\", at: thread}]\n").plan().traces.size(), 10U);
  EXPECT_EQ(text.collect("  points: [{threads: \"sum/*\", at: thread}]\n").plan().traces.size(), 2U);
}

TEST(Collectives, TheRootIsTheFirstThreadByDefault) {
  const auto root_of = [](const std::string& more) {
    return eight_threads("{kind: broadcast, threads: \"t[2-5]\", tuple: text" + more + "}")
        .plan()
        .collectives.front()
        .root;
  };
  EXPECT_EQ(root_of(""), 0U);
  EXPECT_EQ(root_of(", root: t4"), 2U);
}

TEST(Collectives, PathsHaveTheGivenNameAndWrappers) {
  const auto plan = eight_threads(
                        "{kind: barrier, threads: \"*\", path: steps/meet, levels: [{group: all}, {group: "
                        "process}]}\n  stages: [{paths: steps/*, wrappers: [{delay: {for: 1ms}}]}]")
                        .plan();
  for (const auto& path : plan.paths) {
    EXPECT_EQ(path.name, "steps/meet");
    EXPECT_EQ(path.stages.size(), 1U);
  }
  EXPECT_EQ(plan.paths.size(), 12U);
}

TEST(Collectives, TheirNumbersAreInTheFingerprint) {
  const auto with = [](const std::string& text) { return eight_threads(text).plan().fingerprint; };
  const auto plain = with("{kind: reduce, threads: \"*\", tuple: int, combine: sum}");
  EXPECT_EQ(plain, with("{kind: reduce, threads: \"*\", tuple: int, combine: sum}"));
  EXPECT_NE(plain, with("{kind: reduce, threads: \"*\", tuple: int, combine: max}"));
  EXPECT_NE(plain, with("{kind: reduce, threads: \"*\", tuple: int, combine: sum, root: t1}"));
  EXPECT_NE(plain, with("{kind: all-reduce, threads: \"*\", tuple: int, combine: sum}"));
  EXPECT_NE(plain, with("{kind: reduce, threads: \"*\", tuple: int, combine: sum, levels: [{group: all, "
                        "on: p1}]}"));
}

}  // namespace
}  // namespace eventspace
