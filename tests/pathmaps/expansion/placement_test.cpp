#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pathmaps/pathmap_text.h"

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A pathmap of threads a and b, each in its own process, on nodes n1 and n2. Node n3 is without processes.
PathmapText two_processes() {
  return PathmapText()
      .cluster(
          "  nodes:\n"
          "    n1: {host: 127.0.0.1, port: 7101}\n"
          "    n2: {host: 127.0.0.1, port: 7102}\n"
          "    n3: {host: 127.0.0.1, port: 7103}\n")
      .placement(
          "  processes:\n"
          "    p0: {node: n1, port: 7201, threads: a}\n"
          "    p1: {node: n2, port: 7202, threads: b}\n");
}

std::string with_rule(const std::string& rule) {
  return "  processes:\n"
         "    p0: {node: n1, port: 7201, threads: a}\n"
         "    p1: {node: n2, port: 7202, threads: b}\n"
         "  elements:\n    - {elements: box, " +
         rule + "}\n";
}

std::string home_of(const Plan& plan) { return host_name(plan, plan.elements.front().host); }

/// Returns the bytes of shared memory for the tuples of the first element; nullopt if it is not shared.
std::optional<std::size_t> room_of(const Plan& plan) {
  return std::get<TupleElement>(plan.elements.front().kind).room;
}

const TracePlan& trace_at(const Plan& plan, std::size_t number) { return plan.traces.at(TraceIndex(number)); }

TEST(Placement, AnElementIsPlacedWithItsFirstThreadByDefault) {
  EXPECT_EQ(home_of(two_processes().plan()), "p0");
  EXPECT_EQ(home_of(two_processes().placement(with_rule("with: reader")).plan()), "p1");
  EXPECT_EQ(home_of(two_processes().placement(with_rule("with: writer")).plan()), "p0");
  EXPECT_EQ(home_of(two_processes().placement(with_rule("process: p1")).plan()), "p1");
  EXPECT_EQ(home_of(two_processes().placement(with_rule("node: n3")).plan()), "n3");
}

TEST(Placement, TheLastMatchingRuleDecides) {
  EXPECT_EQ(home_of(two_processes()
                        .placement(with_rule("node: n3") + "    - {elements: \"*\", with: reader}\n")
                        .plan()),
            "p1");
}

TEST(Placement, AnElementThatNoPathUsesMayBePlaced) {
  const auto plan = two_processes()
                        .application("  threads: [a, b]\n  elements: [{name: box, tuple: int}]\n")
                        .placement(with_rule("node: n3"))
                        .collect("")
                        .scopes("")
                        .plan();
  EXPECT_EQ(home_of(plan), "n3");
}

TEST(Placement, OnlyAProcessWhoseElementsOthersUseNeedsAPort) {
  const auto plan = two_processes()
                        .placement(
                            "  processes:\n"
                            "    p0: {node: n1, threads: a}\n"
                            "    p1: {node: n2, port: 7202, threads: b}\n"
                            "  elements: [{elements: box, with: reader}]\n")
                        .plan();
  EXPECT_EQ(plan.processes.front().endpoint, "");
  EXPECT_EQ(plan.processes.back().endpoint, "tcp://127.0.0.1:7202");
}

TEST(Placement, TraceElementsLieWhereTheCollectorStands) {
  const auto plan = two_processes()
                        .placement(with_rule("node: n3"))
                        .collect("  points: [{at: [thread, element]}]\n")
                        .plan();
  ASSERT_THAT(plan.traces, SizeIs(4));
  EXPECT_EQ(trace_at(plan, 0).name, "a/out@thread");
  EXPECT_EQ(trace_at(plan, 0).host, Host(plan.find_process("p0").value()));
  EXPECT_EQ(plan.node_of(trace_at(plan, 0).host), plan.find_node("n1"));
  EXPECT_EQ(trace_at(plan, 3).name, "b/in@element");
  EXPECT_EQ(trace_at(plan, 3).host, Host(plan.find_node("n3").value()));
  EXPECT_THAT(plan.paths.back().traces, ElementsAre(TraceIndex(2), TraceIndex(3)));
}

/// Like two_processes, but on one node and without ports.
PathmapText neighbours(const std::string& rule) {
  return PathmapText().placement(
      "  processes:\n"
      "    p0: {node: n1, threads: a}\n"
      "    p1: {node: n1, threads: b}\n"
      "  elements:\n    - {elements: box, with: reader, " +
      rule + "}\n");
}

TEST(Sharing, ASharedElementNeedsNoPortOfItsProcess) {
  const auto plan = neighbours("shared: 16KiB").plan();
  EXPECT_EQ(home_of(plan), "p1");
  EXPECT_EQ(room_of(plan), 16U << 10);
  EXPECT_EQ(plan.processes.back().endpoint, "");
}

TEST(Sharing, TheLastRuleThatMatchesAnElementDecides) {
  const auto rule = [](const std::string& last) {
    return neighbours("shared: 16KiB}\n    - {elements: \"*\", process: p0" + last);
  };
  EXPECT_EQ(room_of(rule(", shared: 64").plan()), 64U);
  const auto plan = rule("").plan();  // no longer shared, so its process has a server
  EXPECT_EQ(plan.processes.front().endpoint, "local://process/p0");
}

TEST(Sharing, TheLastStageBeforeASharedElementIsInTheProcessThatUsesIt) {
  const auto plan = neighbours("shared: 16KiB").collect("  points: [{at: [thread, element]}]\n").plan();
  ASSERT_THAT(plan.traces, SizeIs(4));
  EXPECT_EQ(trace_at(plan, 1).name, "a/out@element");
  EXPECT_EQ(host_name(plan, trace_at(plan, 1).host), "p0");
  EXPECT_EQ(trace_at(plan, 3).name, "b/in@element");
  EXPECT_EQ(host_name(plan, trace_at(plan, 3).host), "p1");
}

TEST(Collect, TheLastRowThatSelectsAPathDecides) {
  const auto plan = PathmapText()
                        .collect(
                            "  threshold: 50\n"
                            "  points:\n"
                            "    - {at: [thread, element]}\n"
                            "    - {paths: in, at: [], threshold: 7}\n"
                            "    - {threads: a, at: thread, threshold: 9}\n")
                        .plan();
  ASSERT_THAT(plan.traces, SizeIs(1));
  EXPECT_EQ(trace_at(plan, 0).name, "a/out@thread");
  EXPECT_EQ(trace_at(plan, 0).threshold, 9U);
}

TEST(Collect, SwitchingOffKeepsTheNumbers) {
  const auto on = PathmapText().plan();
  const auto off = PathmapText().collect("  enabled: false\n  points: [{at: thread}]\n").plan();
  EXPECT_FALSE(off.collect);
  EXPECT_THAT(off.traces, SizeIs(2));
  EXPECT_EQ(on.fingerprint, off.fingerprint);
}

TEST(Collect, StampsArePlainByDefault) {
  EXPECT_EQ(PathmapText().plan().stamps, StampOrder::plain);
  EXPECT_EQ(PathmapText().collect("  stamps: ordered\n  points: [{at: thread}]\n").plan().stamps,
            StampOrder::ordered);
}

/// A pathmap with a thread in each of two clusters with gateways, and a thread outside.
Plan clustered(const std::string& home) {
  return PathmapText()
      .cluster(
          "  nodes:\n"
          "    ga: {host: ga.example, port: 1}\n    a1: {host: a1.example, port: 1}\n"
          "    gb: {host: gb.example, port: 1}\n    b1: {host: b1.example, port: 1}\n"
          "    out: {host: out.example, port: 1}\n"
          "  clusters: {a: {gateway: ga, nodes: a1}, b: {gateway: gb, nodes: b1}}\n")
      .application(
          "  threads: [ta, tb, to]\n"
          "  elements: [{name: box, tuple: int}]\n"
          "  paths: [{thread: \"*\", name: x, element: box}]\n")
      .placement(
          "  processes:\n"
          "    pa: {node: a1, port: 2, threads: ta}\n"
          "    pb: {node: b1, port: 2, threads: tb}\n"
          "    po: {node: out, port: 2, threads: to}\n"
          "  elements: [{elements: box, " +
          home + "}]\n")
      .plan();
}

std::vector<std::string> route_of(const Plan& plan, std::string_view thread) {
  std::vector<std::string> names;
  for (const auto node : path_of(plan, thread, "x").route) names.push_back(plan.nodes[node].name);
  return names;
}

TEST(Routes, ARouteIntoAClusterPassesItsGateway) {
  const auto plan = clustered("process: pa");
  EXPECT_THAT(route_of(plan, "ta"), IsEmpty());
  EXPECT_THAT(route_of(plan, "tb"), ElementsAre("ga"));
  EXPECT_THAT(route_of(plan, "to"), ElementsAre("ga"));
}

TEST(Routes, ARouteOutOfAClusterIsDirect) {
  EXPECT_THAT(route_of(clustered("process: po"), "ta"), IsEmpty());
}

TEST(Routes, ARouteToTheGatewayIsDirect) { EXPECT_THAT(route_of(clustered("node: gb"), "ta"), IsEmpty()); }

TEST(Nodes, OtherHostsAreReachedBySsh) {
  const auto plan = clustered("process: pa");
  EXPECT_THAT(plan.nodes[NodeIndex(1)].launch, ElementsAre("ssh", "-o", "BatchMode=yes", "a1.example"));
  EXPECT_THAT(PathmapText().plan().nodes.front().launch, IsEmpty());
}

TEST(Nodes, LaunchCanBeSet) {
  const auto plan =
      PathmapText().cluster("  nodes: {n1: {host: far, port: 1, launch: [srun, -w, far]}}\n").plan();
  EXPECT_THAT(plan.nodes.front().launch, ElementsAre("srun", "-w", "far"));
  EXPECT_THAT(
      PathmapText().cluster("  nodes: {n1: {host: far, port: 1, launch: []}}\n").plan().nodes.front().launch,
      IsEmpty());
}

TEST(Nodes, AnIpv6AddressIsPutInBrackets) {
  const auto plan = PathmapText().cluster("  nodes: {n1: {host: \"::1\", port: 7101}}\n").plan();
  EXPECT_EQ(plan.nodes.front().endpoint(), "tcp://[::1]:7101");
}

// --- servers without ports
// -----------------------------------------------------------------------------------

TEST(LocalEndpoints, ANodeNeedsNeitherHostNorPort) {
  const auto plan = PathmapText().cluster("  nodes: {n1: {}}\n").plan();
  EXPECT_EQ(plan.nodes.front().host, "127.0.0.1");
  EXPECT_EQ(plan.nodes.front().endpoint(), "local://node/n1");
  EXPECT_THAT(plan.nodes.front().launch, IsEmpty());
}

TEST(LocalEndpoints, APortAsksForTcp) {
  const auto plan = PathmapText().cluster("  nodes: {n1: {port: 7101}, n2: {}}\n").plan();
  EXPECT_EQ(plan.nodes.front().endpoint(), "tcp://127.0.0.1:7101");
  EXPECT_EQ(plan.nodes.back().endpoint(), "local://node/n2");
}

/// Nodes n1 and n2, the first on HERE, the second on host THERE; p0 on n1 has an element that p1 on n2 uses.
PathmapText two_hosts(const std::string& here, const std::string& there) {
  return PathmapText()
      .cluster("  nodes:\n    n1: {" + here + "}\n    n2: {" + there + "}\n")
      .placement(
          "  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
          "  elements: [{elements: box, with: writer}]\n");
}

TEST(LocalEndpoints, NodesOfOneHostNeedNoPorts) {
  const auto plan = two_hosts("host: far", "host: far").plan();
  EXPECT_EQ(plan.nodes.back().endpoint(), "local://node/n2");
  EXPECT_EQ(plan.processes.front().endpoint, "local://process/p0");
  EXPECT_EQ(plan.processes.back().endpoint, "");  // others do not use anything there
}

TEST(LocalEndpoints, LoopbackIsOneHostWhateverItIsCalled) {
  EXPECT_EQ(two_hosts("host: 127.0.0.1", "host: localhost").plan().nodes.back().endpoint(),
            "local://node/n2");
}

TEST(LocalEndpoints, OfSeveralHostsEachNodeNeedsAPortAndTheFaultSaysWhichAndWhy) {
  const auto faults = two_hosts("host: far", "port: 7101").faults();
  ASSERT_THAT(faults, SizeIs(2));
  EXPECT_EQ(
      to_string(faults[0]),
      "small.yaml:5:9: error: node 'n1' on host far has no port, but node 'n2' is on host 127.0.0.1: nodes "
      "on several hosts need ports; expected a port from 1 to 65535");
  EXPECT_NE(to_string(faults[1]).find("process 'p0' has no port, but hosts element 'box' that thread 'b' of "
                                      "process 'p1' uses on another machine"),
            std::string::npos);
}

TEST(LocalEndpoints, ProcessesOfOneHostMeetLocallyAlsoIfThereAreOtherHosts) {
  const auto plan =
      PathmapText()
          .cluster(
              "  nodes:\n    n1: {host: far, port: 1}\n    n2: {host: far, port: 2}\n    n3: {port: 3}\n")
          .placement(
              "  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
              "  elements: [{elements: box, with: writer}]\n")
          .plan();
  EXPECT_EQ(plan.processes.front().endpoint, "local://process/p0");
}

TEST(LocalEndpoints, AProcessBehindAGatewayOnAnotherHostNeedsAPort) {
  const auto faults = PathmapText()
                          .cluster(
                              "  nodes:\n    n1: {host: far, port: 1}\n    n2: {host: far, port: 2}\n"
                              "    g: {port: 3}\n  clusters: {c: {gateway: g, nodes: [n1]}}\n")
                          .placement(
                              "  processes:\n    p0: {node: n1, threads: a}\n    p1: {node: n2, threads: b}\n"
                              "  elements: [{elements: box, with: writer}]\n")
                          .faults();
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_NE(faults[0].text.find("process 'p0' has no port"), std::string::npos);
}

TEST(Application, WrappersOfRulesFollowThoseOfThePath) {
  const auto plan = PathmapText()
                        .application(
                            "  threads: [a]\n  elements: [{name: box, tuple: int}]\n"
                            "  paths: [{thread: a, name: x, element: box, stages: [{delay: {for: 1ms}}]}]\n"
                            "  stages: [{paths: x, wrappers: [{delay: {for: 2ms}}]}]\n")
                        .plan();
  const auto& stages = plan.paths.front().stages;
  ASSERT_THAT(stages, SizeIs(2));
  EXPECT_EQ(to_string(stages[0].parameters.at("for")), "1ms");
  EXPECT_EQ(to_string(stages[1].parameters.at("for")), "2ms");
}

TEST(Limits, HaveDefaultsAndNames) {
  const auto result = parse_plan(PathmapText().text() + "limits: {message: 1MiB, lease: 5s}\n", "small.yaml");
  ASSERT_TRUE(result.plan);
  EXPECT_EQ(result.plan->limits.message_bytes, 1U << 20);
  EXPECT_EQ(result.plan->limits.lease, std::chrono::seconds(5));
  EXPECT_EQ(result.plan->limits.connections, 1024U);
}

}  // namespace
}  // namespace eventspace
