#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pathmaps/expansion/scopes/tree_text.h"
#include "tests/pathmaps/pathmap_text.h"

// Scopes with `shape:`, levels with `arity:`, and scopes with `tree:`.

namespace eventspace {
namespace {

/// A pathmap of `nodes` with one thread each: node n1 has thread t1, and so on.
PathmapText row_of(std::size_t nodes, const std::string& clusters = "") {
  std::string cluster = "  nodes:\n";
  std::string processes = "  processes:\n";
  for (std::size_t i = 1; i <= nodes; ++i) {
    const auto n = std::to_string(i);
    cluster += "    n" + n + ": {host: h, port: " + std::to_string(100 + i) + "}\n";
    processes.append("    p").append(n).append(": {node: n").append(n);
    processes.append(", threads: t").append(n).append("}\n");
  }
  return PathmapText()
      .cluster(cluster + clusters)
      .application("  threads: [\"t[1-" + std::to_string(nodes) +
                   "]\"]\n"
                   "  elements: [{name: \"own/{thread}\", for: \"*\", tuple: [int]}]\n"
                   "  paths: [{thread: \"*\", name: p, element: \"own/{thread}\"}]\n")
      .placement(processes);
}

/// Returns the tree without the names and sources of its reads.
std::string tree_of(PathmapText text, const std::string& scope) {
  const auto plan = text.scopes("  s: {" + scope + "}\n").plan();
  if (plan.scopes.empty()) return "";
  std::string shown;
  std::istringstream lines(tree_text(plan, plan.scopes[0].root));
  for (std::string line; std::getline(lines, line);) {
    const auto read = line.find("read of ");
    const auto sources = line.find('[');
    if (read != std::string::npos) line = line.substr(0, read) + line.substr(sources);
    shown += line + "\n";
  }
  return shown;
}

TEST(ScopeArity, InsertedNodesRunWithTheirFirstChild) {
  EXPECT_EQ(tree_of(row_of(5), "levels: [{group: all, wrapper: gather, arity: 2}]"),
            "all: gather\n"
            "  part 1 of all: gather on n1\n"
            "    part 1.1 of all: gather\n"
            "      [t1/p@thread]\n"
            "      [t2/p@thread] on n2\n"
            "    [t3/p@thread] on n3\n"
            "  part 2 of all: gather on n4\n"
            "    [t4/p@thread]\n"
            "    [t5/p@thread] on n5\n");
}

TEST(ScopeArity, InsertedNodesCanRunAtTheSiteOfTheirLevel) {
  EXPECT_EQ(tree_of(row_of(3), "levels: [{group: all, on: n2, wrapper: gather, arity: 2, spread: here}]"),
            "all: gather on n2\n"
            "  part 1 of all: gather\n"
            "    [t1/p@thread] on n1\n"
            "    [t2/p@thread]\n"
            "  [t3/p@thread] on n3\n");
}

TEST(ScopeArity, LowerLevelsAreBelowTheInsertedNodes) {
  EXPECT_EQ(
      tree_of(row_of(3),
              "levels: [{group: all, wrapper: gather, arity: 2}, {group: node, wrapper: {reduce: {keep: "
              "longest}}}]"),
      "all: gather\n"
      "  part 1 of all: gather on n1\n"
      "    node n1: reduce\n"
      "      [t1/p@thread]\n"
      "    node n2: reduce on n2\n"
      "      [t2/p@thread]\n"
      "  node n3: reduce on n3\n"
      "    [t3/p@thread]\n");
}

TEST(ScopeArity, AppliesToEachGroupOfALevel) {
  const auto text = row_of(1).application(
      "  threads: [t1]\n  elements: [{name: e, tuple: [int]}]\n  paths:\n"
      "    - {thread: t1, name: a, element: e}\n    - {thread: t1, name: b, element: e}\n");
  EXPECT_EQ(tree_of(text,
                    "levels: [{group: all, wrapper: gather, arity: 2}, {group: node, wrapper: gather, "
                    "arity: 2}, {group: thread, wrapper: gather}]"),
            "all: gather\n"
            "  node n1: gather on n1\n"
            "    thread t1: gather\n"
            "      [t1/a@thread t1/b@thread]\n");
}

TEST(ScopeArity, ViewsDoNotEnterAClusterOnTheirWayOut) {
  const std::string clusters = "  clusters: {a: {gateway: n1, nodes: [n1, n2, n3]}, b: {nodes: [n5, n6]}}\n";
  EXPECT_EQ(
      tree_of(row_of(6, clusters), "threads: \"t[2-6]\", levels: [{group: all, wrapper: gather, arity: 3}]"),
      "all: gather\n"
      "  part 1 of all: gather on n4\n"  // n2 and n3 may send to n4, not n4 to them
      "    [t2/p@thread] on n2 via n1\n"
      "    [t3/p@thread] on n3 via n1\n"
      "    [t4/p@thread]\n"
      "  part 2 of all: gather on n5\n"
      "    [t5/p@thread]\n"
      "    [t6/p@thread] on n6\n");
}

TEST(ScopeArity, InsertedNodesWithoutACommonPlaceRunAtTheSiteOfTheirLevel) {
  const std::string clusters =
      "  clusters: {a: {gateway: n1, nodes: [n1, n2]}, b: {gateway: n4, nodes: [n3, n4]}}\n";
  EXPECT_EQ(tree_of(row_of(5, clusters),
                    "threads: \"t[2-5]\", levels: [{group: all, on: n1, wrapper: gather, arity: 2}]"),
            "all: gather on n1\n"
            "  part 1 of all: gather\n"
            "    [t2/p@thread] on n2\n"
            "    [t3/p@thread] on n3 via n4\n"
            "  part 2 of all: gather on n4\n"
            "    [t4/p@thread]\n"
            "    [t5/p@thread] on n5\n");
}

TEST(ScopeArity, InsertedNodesAskLikeTheirLevelAndTimeOutLikeTheirChildren) {
  const auto plan =
      row_of(3)
          .scopes(
              "  s: {levels: [{group: all, wrapper: gather, arity: 2, ask: in-turn, late: {skip: "
              "3s}}, {group: node, wrapper: gather, timeout: 70ms}]}\n")
          .plan();
  const auto& part = plan.scopes.at(0).root.children.at(0);
  EXPECT_EQ(part.name, "part 1 of all");
  EXPECT_EQ(part.asking, Asking::in_turn);
  EXPECT_EQ(part.when_late, WhenLate::skip);
  EXPECT_EQ(part.longest_skip, std::chrono::seconds(3));
  EXPECT_EQ(part.timeout, std::chrono::milliseconds(70));
}

TEST(ScopeArity, InsertedNodesHaveTheFormForPartialViewsOfTheFirstWrapper) {
  const auto plan =
      row_of(3)
          .scopes(
              "  s: {levels: [{group: all, arity: 2, wrappers: [{aggregate: {as: sum, by: thread, "
              "most: 1}}, sort]}]}\n")
          .plan();
  const auto& sort = plan.scopes.at(0).root;
  const auto& whole = sort.children.at(0);
  EXPECT_TRUE(whole.parameters.contains("most"));
  const auto& part = whole.children.at(0);
  EXPECT_EQ(part.wrapper, "aggregate");
  EXPECT_EQ(parameter<std::string>(part.parameters, "by"), "thread");
  EXPECT_FALSE(part.parameters.contains("most"));
  EXPECT_EQ(part.children.at(0).wrapper, "read");
}

TEST(ScopeShape, IsAnAbbreviationOfLevels) {
  const auto text = row_of(3, "  clusters: {c: {gateway: n2, nodes: \"*\"}}\n");
  const std::string w = "wrapper: {reduce: {keep: longest}}";
  const auto level = [&w](const std::string& group) { return "{group: " + group + ", " + w + "}"; };
  const auto shape = [&](const std::string& word) { return tree_of(text, "shape: " + word + ", " + w); };
  const auto levels = [&](const std::string& list) { return tree_of(text, "levels: [" + list + "]"); };
  EXPECT_EQ(shape("flat"), levels(level("all")));
  EXPECT_EQ(shape("by-cluster"), levels(level("all") + ", " + level("cluster") + ", " + level("node")));
  EXPECT_EQ(shape("by-node"), levels(level("all") + ", " + level("node")));
  EXPECT_EQ(shape("by-process"), levels(level("all") + ", " + level("node") + ", " + level("process")));
  EXPECT_EQ(shape("by-thread"), levels(level("all") + ", " + level("node") + ", " + level("thread")));
  EXPECT_EQ(shape("{k-ary: 2}"),
            levels("{group: all, arity: 2, spread: children, " + w + "}, " + level("node")));
}

TEST(ScopeShape, FlatIsOneNodeThatPullsFromEachServer) {
  EXPECT_EQ(tree_of(row_of(3), "shape: flat"),
            "all: gather\n"
            "  [t1/p@thread] on n1\n"
            "  [t2/p@thread] on n2\n"
            "  [t3/p@thread] on n3\n");
}

TEST(ScopeShape, AWrapperWithoutAFormForPartialViewsIsOnTheFirstLevelOnly) {
  const auto plan = row_of(2).scopes("  s: {shape: by-node, wrapper: {aggregate: {most: 1}}}\n").plan();
  const auto& root = plan.scopes.at(0).root;
  EXPECT_TRUE(root.parameters.contains("most"));
  EXPECT_FALSE(root.children.at(0).parameters.contains("most"));
}

TEST(WrittenTree, HasTheGivenNodes) {
  EXPECT_EQ(
      tree_of(row_of(3),
              "timeout: 300ms, tree: {name: top, on: consumer, wrappers: [gather, sort], children: [\n"
              "{name: left, on: n2, wrapper: merge, sources: [{threads: t1}, {threads: t2, at: thread}]},\n"
              "{name: right, on: n3, wrapper: gather, children: [\n"
              "{name: leaf, on: n3, wrapper: reduce, sources: [{threads: t3, paths: \"*\"}]}]}]}"),
      "top: sort\n"
      "  top: gather\n"
      "    left: merge on n2\n"
      "      [t1/p@thread] on n1\n"
      "      [t2/p@thread]\n"
      "    right: gather on n3\n"
      "      leaf: reduce\n"
      "        [t3/p@thread]\n");
}

TEST(WrittenTree, NodesHaveThePropertiesOfLevels) {
  const auto plan = row_of(1)
                        .scopes(
                            "  s: {timeout: 2s, tree: {name: top, on: consumer, wrapper: gather, late: skip, "
                            "children: [{name: leaf, on: n1, wrapper: gather, timeout: 40ms, ask: {threads: "
                            "3}, sources: [{}]}]}}\n")
                        .plan();
  const auto& top = plan.scopes.at(0).root;
  EXPECT_EQ(top.timeout, std::chrono::seconds(2));
  EXPECT_EQ(top.when_late, WhenLate::skip);
  const auto& leaf = top.children.at(0);
  EXPECT_EQ(leaf.timeout, std::chrono::milliseconds(40));
  EXPECT_EQ(leaf.threads, 3U);
}

TEST(WrittenTree, ExcludedTraceElementsMayBeInNoLeaf) {
  EXPECT_EQ(
      tree_of(row_of(3),
              "except: [{threads: t2}], tree: {name: top, on: consumer, wrapper: gather, sources: [{}]}"),
      "top: gather\n"
      "  [t1/p@thread] on n1\n"
      "  [t3/p@thread] on n3\n");
}

TEST(WrittenTree, CanBeReadDirectly) {
  EXPECT_EQ(
      tree_of(row_of(2), "direct: true, tree: {name: top, on: consumer, wrapper: gather, sources: [{}]}"),
      "top: gather\n"
      "  [t1/p@thread t2/p@thread]\n");
}

}  // namespace
}  // namespace eventspace
