#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "pathmaps/pathmap.h"
#include "tests/pathmaps/expansion/scopes/tree_text.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Plan example(const std::string& name) {
  auto result = load_plan(std::filesystem::path(EVENTSPACE_EXAMPLE_FOLDER) / (name + ".yaml"));
  for (const auto& fault : result.faults) ADD_FAILURE() << to_string(fault);
  return result.plan.value_or(Plan{});
}

std::size_t sources_of(const Plan& plan, std::string_view scope) {
  const auto* tree = plan.find_scope(scope);
  return tree == nullptr ? 0 : count_sources(tree->root);
}

std::vector<std::string> names_of(const std::vector<ScopeNode>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const auto& node : nodes) names.push_back(node.name);
  return names;
}

class WindTunnel : public testing::TestWithParam<std::string> {};

// Checks the numbers in section 6 of the EventSpace paper.
TEST_P(WindTunnel, HasThePapersTraceElements) {
  const auto plan = example(GetParam());
  EXPECT_THAT(plan.threads, SizeIs(141));
  EXPECT_THAT(plan.paths, SizeIs(140 * 14 + 1));
  EXPECT_THAT(plan.traces, SizeIs(2240));
  EXPECT_EQ(sources_of(plan, "cluster-view"), 1948U);
  EXPECT_EQ(sources_of(plan, "thread-view"), 14U);
  EXPECT_EQ(sources_of(plan, "heartbeat"), 1960U);
  EXPECT_EQ(sources_of(plan, "events"), 2240U);
}

TEST_P(WindTunnel, EachThreadUsesTwelveElementsForItsBorders) {
  const auto plan = example(GetParam());
  std::set<ElementIndex> elements;
  for (const auto& path : plan.paths) {
    const bool border = plan.elements[path.element].name.starts_with("border/");
    if (border && plan.threads[path.thread].name == "t70") elements.insert(path.element);
  }
  EXPECT_THAT(elements, SizeIs(12));
}

TEST_P(WindTunnel, EveryNumberIsInRange) {
  const auto plan = example(GetParam());
  for (const auto& path : plan.paths) {
    EXPECT_TRUE(plan.threads.has(path.thread));
    EXPECT_TRUE(plan.elements.has(path.element));
    for (const auto trace : path.traces) EXPECT_EQ(&plan.paths[plan.traces.at(trace).path], &path);
  }
  for (const auto& element : plan.elements) EXPECT_TRUE(plan.nodes.has(plan.node_of(element.host)));
}

INSTANTIATE_TEST_SUITE_P(Examples, WindTunnel,
                         testing::Values("windtunnel-one-process", "windtunnel-four-nodes",
                                         "windtunnel-four-processes", "windtunnel-two-clusters"),
                         [](const auto& example) {
                           auto name = example.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(FourNodes, HeartbeatGathersNodesAndReducesThreads) {
  const auto plan = example("windtunnel-four-nodes");
  const auto& root = plan.find_scope("heartbeat")->root;
  EXPECT_THAT(names_of(root.children), ElementsAre("node n1", "node n2", "node n3", "node n4"));
  const auto& node = root.children[3];
  EXPECT_EQ(node.endpoint, "local://node/n4");
  EXPECT_THAT(node.children, SizeIs(35));
  EXPECT_EQ(tree_text(plan, node.children[0].children[0]).substr(0, 40),
            "read of thread t105 on node n4: read [t1");
  EXPECT_EQ(count_sources(node.children[0]), 14U);
}

TEST(FourNodes, BordersLiveWithTheirReaders) {
  const auto plan = example("windtunnel-four-nodes");
  for (const auto& path : plan.paths) {
    const auto& element = plan.elements[path.element];
    if (element.name.starts_with("border/") && path.use == PathUse::read) {
      EXPECT_EQ(element.host, plan.threads[path.thread].host());
    }
  }
}

TEST(FourProcesses, BordersAreSharedAndNeedNoServer) {
  const auto plan = example("windtunnel-four-processes");
  for (const auto& element : plan.elements)
    EXPECT_EQ(element.is_shared(), element.name.starts_with("border/")) << element.name;
  for (const auto& process : plan.processes) EXPECT_EQ(process.endpoint.empty(), process.name != "p0");
}

TEST(TwoClusters, NodesAreReachedThroughTheirGateways) {
  const auto plan = example("windtunnel-two-clusters");
  const auto& direct = plan.find_scope("heartbeat")->root;
  EXPECT_THAT(direct.children, SizeIs(8));
  EXPECT_THAT(direct.children[4].route, ElementsAre("local://node/gb"));
  const auto& clusters = plan.find_scope("clusters")->root;
  EXPECT_THAT(names_of(clusters.children), ElementsAre("cluster a", "cluster b"));
  EXPECT_THAT(clusters.children[0].children, SizeIs(4));
  EXPECT_TRUE(clusters.children[0].children[0].route.empty());
}

TEST(ObservedScopes, AreInThePlanAfterTheApplication) {
  const auto plan = example("windtunnel-observed-scopes");
  EXPECT_EQ(plan.fingerprint, example("windtunnel-two-clusters").fingerprint);
  EXPECT_EQ(plan.thread_count(), 141U);
  EXPECT_THAT(plan.parts, SizeIs(10));
  EXPECT_EQ(sources_of(plan, "observer"),
            10U + 8U);  // the answers of all parts, and the pulls of the gateways
  EXPECT_EQ(sources_of(plan, "observed"), sources_of(plan, "clusters"));
  EXPECT_EQ(plan.threads.at(plan.parts.front().thread).name, "scopes/observed/ga");
  EXPECT_EQ(plan.traces.back().threshold, 1000U);
}

TEST(OneProcess, ItsLocalScopeNeedsNoServer) {
  const auto plan = example("windtunnel-one-process");
  const auto text = tree_text(plan, plan.find_scope("local")->root);
  EXPECT_EQ(text.find(" on n1"), std::string::npos);
}

TEST(WindTunnelCollectives, JoinThreadsInTheirProcesses) {
  const auto plan = example("windtunnel-collectives");
  EXPECT_EQ(plan.thread_count(), 141U);
  ASSERT_THAT(plan.collectives, SizeIs(2));
  const auto* balance = plan.find_collective("balance");
  ASSERT_NE(balance, nullptr);
  EXPECT_THAT(balance->participants, SizeIs(140));
  // A root, and in each process a joint of 35 threads with 8 children, each of which has 4 or 5 threads.
  EXPECT_THAT(balance->joints, SizeIs(1 + 4 * (1 + 8)));
  EXPECT_THAT(plan.joints.at(balance->joints.front()).children, SizeIs(4));
  for (const auto& joint : plan.joints)
    EXPECT_LE(joint.children.size(), joint.collective == CollectiveIndex(0) ? 8U : 35U);
  // Each path of a tree has two collectors.
  EXPECT_EQ(sources_of(plan, "collective-records"), 2 * (140 + 36 + 140 + 4));
}

TEST(WindTunnelCollectives, TheirMonitorHasAPathmapOfItsOwn) {
  const auto plan = example("windtunnel-collectives-monitor");
  EXPECT_EQ(plan.fingerprint, example("windtunnel-collectives").fingerprint);
  EXPECT_EQ(sources_of(plan, "collectives"), 2 * (140 + 36 + 140 + 4));
}

}  // namespace
}  // namespace eventspace
