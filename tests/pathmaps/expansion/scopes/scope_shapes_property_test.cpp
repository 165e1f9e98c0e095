#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "pathmaps/pathmap.h"
#include "tests/pathmaps/expansion/random_map.h"

// Properties of all shapes: each selected trace element is read exactly once, others are not read, and views
// only flow where may_flow allows it.

namespace eventspace {
namespace {

void collect_sources(const ScopeNode& node, std::multiset<std::size_t>& sources) {
  for (const SourceRef& source : node.sources) sources.insert(source.trace);
  for (const ScopeNode& child : node.children) collect_sources(child, sources);
}

void expect_all_sources(const Plan& plan, const ScopeTree& scope) {
  std::multiset<std::size_t> expected;
  for (std::size_t i = 0; i < plan.traces.size(); ++i) expected.insert(i);
  std::multiset<std::size_t> found;
  collect_sources(scope.root, found);
  EXPECT_EQ(found, expected) << scope.scope;
}

void expect_arity(const ScopeNode& node, std::size_t arity) {
  EXPECT_LE(node.children.size(), arity) << node.name;
  for (const ScopeNode& child : node.children) expect_arity(child, arity);
}

/// Returns the cluster of `node` if traffic into it passes a gateway, that is, another node.
std::optional<ClusterIndex> inside(const Plan& plan, NodeIndex node) {
  const auto cluster = plan.nodes[node].cluster;
  if (!cluster || !plan.clusters[*cluster].gateway || plan.clusters[*cluster].gateway == node)
    return std::nullopt;
  return cluster;
}

/// Checks that views inside a cluster come from that cluster, and that routes pass the required gateways.
void expect_flow(const Plan& plan, const ScopeNode& node, std::optional<NodeIndex> above) {
  const auto here = node.node.empty() ? above : plan.find_node(node.node);
  if (above && inside(plan, *above)) {
    EXPECT_TRUE(here && plan.nodes[*here].cluster == plan.nodes[*above].cluster)
        << node.name << " below " << plan.nodes[*above].name;
  }
  const bool enters =
      here && inside(plan, *here) && (!above || plan.nodes[*above].cluster != plan.nodes[*here].cluster);
  EXPECT_EQ(node.route.size(), enters ? 1U : 0U) << node.name;
  for (const ScopeNode& child : node.children) expect_flow(plan, child, here);
}

class ScopeShapes : public testing::TestWithParam<unsigned> {
 protected:
  test::RandomMap map{GetParam(), 12, [this] { return ++port_; }};

  Plan plan(const std::string& scopes) {
    const auto text = map.text() + "scopes:\n" + scopes;
    auto loaded = parse_plan(text, "random.yaml");
    for (const Fault& fault : loaded.faults) ADD_FAILURE() << to_string(fault) << '\n' << text;
    return loaded.plan.value_or(Plan{});
  }

 private:
  std::uint16_t port_{1000};
};

TEST_P(ScopeShapes, EveryTraceElementIsReadOnce) {
  constexpr auto at = ": {at: [thread, element], ";
  std::string scopes;
  for (std::size_t arity = 2; arity < 6; ++arity)
    scopes += "  levels-" + std::to_string(arity) + at + map.levels("gather", "gather", arity) + "}\n";
  for (int i = 0; i < 4; ++i) {
    scopes += "  shape-" + std::to_string(i) + at + map.shape("merge") + "}\n";
    scopes += "  tree-" + std::to_string(i) + at + map.tree("gather", "merge") + "}\n";
  }
  const Plan plan = this->plan(scopes);
  ASSERT_EQ(plan.scopes.size(), 12U);
  for (const ScopeTree& scope : plan.scopes) expect_all_sources(plan, scope);
  for (std::size_t arity = 2; arity < 6; ++arity) {
    expect_arity(plan.scopes[arity - 2].root, arity);
  }
}

TEST_P(ScopeShapes, ViewsFlowTowardsTheConsumer) {
  const Plan plan = this->plan(
      "  levels: {at: [thread, element], levels: [{group: all, wrapper: gather, arity: 2}, "
      "{group: node, wrapper: gather, arity: 2}]}\n  k: {shape: {k-ary: 3}}\n  t: {at: "
      "[thread, element], " +
      map.tree("gather", "merge") + "}\n");
  for (const ScopeTree& scope : plan.scopes) expect_flow(plan, scope.root, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScopeShapes, testing::Range(1U, 61U));

}  // namespace
}  // namespace eventspace
