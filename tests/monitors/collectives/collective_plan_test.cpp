#include "monitors/collectives/collective_plan.h"

#include <gtest/gtest.h>

#include "pathmaps/pathmap.h"

namespace eventspace {
namespace {

/// t0 to t3 in processes p0 and p1 of n1, t4 and t5 in p2 of n2; `at`: where event collectors are.
Plan plan_of(const std::string& levels, const std::string& points = "[{at: [thread, element]}]") {
  auto loaded = parse_plan(
      "pathmap: 1\nname: small\ncluster:\n  nodes:\n"
      "    n1: {host: 127.0.0.1, port: 7101}\n    n2: {host: 127.0.0.1, port: 7102}\n"
      "application:\n  threads: [\"t[0-5]\"]\n  collectives:\n"
      "    meet: {kind: barrier, threads: \"t[0-1]\"}\n"
      "    sum: {kind: all-reduce, threads: \"*\", tuple: int, combine: sum, levels: [" +
          levels +
          "]}\n"
          "placement:\n  processes:\n"
          "    p0: {node: n1, port: 7201, threads: \"t[0-1]\"}\n"
          "    p1: {node: n1, port: 7202, threads: \"t[2-3]\"}\n"
          "    p2: {node: n2, port: 7203, threads: \"t[4-5]\"}\n"
          "collect:\n  points: " +
          points +
          "\nscopes:\n"
          "  whole: {threads: \"**\", at: [thread, element], read: next, levels: [{group: all, wrapper: "
          "gather}]}\n"
          "  felt: {threads: \"**\", at: thread, read: next, levels: [{group: all, wrapper: gather}]}\n",
      "small.yaml");
  for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault);
  return loaded.plan.value_or(Plan{});
}

CollectiveShape shape_in(const Plan& plan, const std::string& scope = "whole") {
  return shape_of(plan, *plan.find_collective("sum"), traces_read_by(*plan.find_scope(scope)));
}

/// "t0 p0/...": of each edge "name@node > joint".
std::string told(const CollectiveShape& shape) {
  std::string text;
  for (const CollectiveShape::Edge& edge : shape.edges) {
    text += edge.name + "@" + edge.node + " > " + shape.joints[edge.joint].name + "@" +
            shape.joints[edge.joint].node + (edge.is_thread() ? "\n" : " up\n");
  }
  return text;
}

TEST(CollectivePlanTest, EdgesAreThePathsOfThreadsAndOfJoints) {
  const Plan plan = plan_of("{group: all, on: n2}, {group: node, on: server}, {group: process}");
  EXPECT_EQ(told(shape_in(plan)),
            "sum/n1@n1 > sum@n2 up\n"
            "sum/n2/p2@n2 > sum@n2 up\n"
            "sum/n1/p0@n1 > sum/n1@n1 up\n"
            "sum/n1/p1@n1 > sum/n1@n1 up\n"
            "t0@n1 > sum/n1/p0@n1\n"
            "t1@n1 > sum/n1/p0@n1\n"
            "t2@n1 > sum/n1/p1@n1\n"
            "t3@n1 > sum/n1/p1@n1\n"
            "t4@n2 > sum/n2/p2@n2\n"
            "t5@n2 > sum/n2/p2@n2\n");
}

TEST(CollectivePlanTest, JointsKnowTheirEdgesAndTheirWayUp) {
  const Plan plan = plan_of("{group: all, on: n2}, {group: node, on: server}, {group: process}");
  const CollectiveShape shape = shape_in(plan);
  EXPECT_EQ(shape.name, "sum");
  EXPECT_EQ(shape.joints.front().uplink, std::nullopt);
  for (std::size_t joint = 1; joint < shape.joints.size(); ++joint) {
    const std::size_t uplink = shape.joints[joint].uplink.value();
    EXPECT_EQ(shape.edges[uplink].below, joint);
    EXPECT_EQ(shape.edges[uplink].name, shape.joints[joint].name);
  }
  std::size_t edges = 0;
  for (std::size_t joint = 0; joint < shape.joints.size(); ++joint) {
    for (const std::size_t edge : shape.joints[joint].edges) EXPECT_EQ(shape.edges[edge].joint, joint);
    edges += shape.joints[joint].edges.size();
  }
  EXPECT_EQ(edges, shape.edges.size());
}

TEST(CollectivePlanTest, RecordsAreFoundByTheirPaths) {
  const Plan plan = plan_of("{group: all, on: n2}, {group: process}");
  const CollectiveShape shape = shape_in(plan);
  EXPECT_EQ(shape.edge_of_path.size(), shape.edges.size());
  for (const auto& [path, edge] : shape.edge_of_path)
    EXPECT_EQ(plan.threads[plan.paths[PathIndex(path)].thread].name, shape.edges[edge].name);
  for (const PathIndex path : plan.find_collective("meet")->participants)
    EXPECT_FALSE(shape.edge_of_path.contains(path.number32()));
}

TEST(CollectivePlanTest, AnEndHasRecordsWhereItIsCollectedAndRead) {
  const auto ends = [](const CollectiveShape& shape) {
    std::pair<std::size_t, std::size_t> count{0, 0};
    for (const CollectiveShape::Edge& edge : shape.edges) {
      count.first += edge.at_thread ? 1 : 0;
      count.second += edge.at_joint ? 1 : 0;
    }
    return count;
  };
  const std::string levels = "{group: all, on: n2}, {group: process}";
  EXPECT_EQ(ends(shape_in(plan_of(levels))), std::pair(std::size_t{9}, std::size_t{9}));
  EXPECT_EQ(ends(shape_in(plan_of(levels), "felt")), std::pair(std::size_t{9}, std::size_t{0}));
  const std::string some = "[{at: thread}, {threads: \"t[0-2]\", at: [element]}]";
  EXPECT_EQ(ends(shape_in(plan_of(levels, some))), std::pair(std::size_t{6}, std::size_t{3}));
}

}  // namespace
}  // namespace eventspace
