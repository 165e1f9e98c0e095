#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <eventspace/error.h>
#include "scopes/metrics/compiler/dataflow.h"
#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/compiler/partial_evaluation.h"
#include "scopes/metrics/metric_library.h"
#include "tests/scopes/scope_talk.h"

namespace eventspace::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// Two processes on each node: p0 and p1 on n0, p2 and p3 on n1 ...
class TwoOnEachNode final : public test::PlainNames {
 public:
  [[nodiscard]] std::string_view node_of_process(std::uint32_t process) const override {
    const std::uint32_t node = process / 2;
    while (nodes_.size() <= node) nodes_.push_back(fmt::format("n{}", nodes_.size()));
    return nodes_[node];
  }
  [[nodiscard]] std::string_view process_name(std::uint32_t process) const override {
    return names_.try_emplace(process, fmt::format("p{}", process)).first->second;
  }

 private:
  mutable std::deque<std::string> nodes_;
  mutable std::map<std::uint32_t, std::string> names_;
};

class CompilerTest : public testing::Test {
 protected:
  void define(std::string_view metric, const std::string& text = "") {
    MetricLibrary library = MetricLibrary::shipped();
    const auto faults = text.empty() ? std::vector<MetricFault>{} : library.add(text);
    if (!faults.empty()) throw std::runtime_error(faults[0].text);
    definition = metrics::define(library.metrics(), library.find(metric).value());
  }

  /// The graph of the definition for the first `count` processes.
  Graph for_processes(std::uint32_t count) {
    objects = {};
    for (std::uint32_t i = 0; i < count; ++i) (void)objects.process(i, names);
    MeasuredObjects measured{&objects, {}};
    measured.chosen.resize(definition.parameters.size());
    for (std::size_t i = 0; i < measured.chosen.size(); ++i) {
      if (!is_object(definition.parameters[i].type.base)) continue;
      for (std::uint32_t object = 0; object < objects.count(definition.parameters[i].type.base); ++object)
        measured.chosen[i].push_back(object);
    }
    return without_common_parts(defined_for(measured, graph_of(definition), definition));
  }

  /// A graph as text, such as "-(AT(Time(NOW), end, p0, vt), 1)".
  std::string text(const Graph& graph, std::uint32_t node) const {
    std::vector<std::string> operands;
    for (const std::uint32_t operand : graph.operands_of(node)) operands.push_back(text(graph, operand));
    const std::string own = label(graph.nodes[node], graph, definition, &objects);
    return operands.empty() ? own : fmt::format("{}({})", own, fmt::join(operands, ", "));
  }
  std::vector<std::string> texts(const Graph& graph) const {
    std::vector<std::string> all;
    for (const std::uint32_t root : graph.roots) all.push_back(text(graph, root));
    return all;
  }

  Dataflow parts(const Graph& graph) const {
    return divided(dataflow_of(graph, locate(graph, definition, &objects)));
  }
  /// The units at each place, by their labels.
  std::map<std::string, std::vector<std::string>> places(const Dataflow& flow, const Graph& graph) const {
    std::map<std::string, std::vector<std::string>> all;
    for (const FlowUnit& unit : flow.units) {
      const bool is_at_host = unit.location.kind == Location::Kind::host;
      const std::string place = is_at_host ? objects.nodes()[unit.location.host] : "front-end";
      const bool receives = unit.kind == FlowUnit::Kind::connector;
      all[place].push_back(receives ? "connector"
                                    : label(graph.nodes[unit.node], graph, definition, &objects));
    }
    return all;
  }

  TwoOnEachNode names;
  ObservedObjects objects;
  Definition definition;
};

constexpr const char* of_time_and_count = R"(
  Both(Process p, TimeInterval t) {
    PROBE end(Process, VirtualTime);
    VirtualTime vt;
    Value[] step;
    step[vt] = Time(NOW) AT end(p, vt) - Time(NOW) AT end(p, vt - 1);
    RETURN SUM(step[vt]) / COUNT(step[vt]);
  })";

// --- tree, leaves, common subexpressions ---------------------------------------------------------

TEST_F(CompilerTest, ATreeHasEachUseOnItsOwn) {
  define("Both", of_time_and_count);
  const Graph tree = tree_of(definition);
  EXPECT_THAT(texts(tree),
              ElementsAre("/(SUM[vt](-(AT(Time(NOW), end, p, vt), AT(Time(NOW), end, p, -1(vt)))), "
                          "COUNT[vt](-(AT(Time(NOW), end, p, vt), AT(Time(NOW), end, p, -1(vt)))))"));
  std::vector<int> users(tree.nodes.size());
  for (const std::uint32_t operand : tree.operands) ++users[operand];
  EXPECT_THAT(users, testing::Each(testing::Le(1)));
}

TEST_F(CompilerTest, LeavesAreSharedFirstAndThenAllThatIsEqual) {
  define("Both", of_time_and_count);
  const Graph tree = tree_of(definition);
  const Graph leaves = with_shared_leaves(tree);
  const Graph shared = without_common_parts(leaves);
  EXPECT_EQ(texts(leaves), texts(tree));
  EXPECT_EQ(texts(shared), texts(tree));
  EXPECT_EQ(leaves.nodes.size(), 4U + 4 + 4 + 2 + 2 + 2 + 1) << "NOW end p vt, Time, AT, -1, -, SUM COUNT, /";
  EXPECT_EQ(shared.nodes.size(), 4U + 1 + 2 + 1 + 1 + 2 + 1);
}

TEST_F(CompilerTest, TheGraphOfEachMetricIsThatOfItsTree) {
  for (const Metric& metric : MetricLibrary::shipped().metrics()) {
    define(metric.name);
    const Graph graph = graph_of(definition);
    EXPECT_EQ(graph.nodes.size(), without_common_parts(tree_of(definition)).nodes.size()) << metric.name;
    EXPECT_EQ(texts(graph), texts(tree_of(definition))) << metric.name;
  }
}

TEST_F(CompilerTest, ATreeThatWouldBeTooLargeIsRefused) {
  std::string text = "Deep(Process p, TimeInterval t) { Value x0 = Send_count(p, t);";
  for (int i = 1; i < 20; ++i) text += fmt::format("Value x{} = x{} + x{} * 2;", i, i - 1, i - 1);
  define("Deep", text + "RETURN x19; }");
  EXPECT_LT(graph_of(definition).nodes.size(), 60U);
  EXPECT_THROW(tree_of(definition), ConfigurationError);
}

// --- defined for objects -------------------------------------------------------------------------

TEST_F(CompilerTest, AMetricOfOneObjectHasARootForEach) {
  define("Communication_share");
  EXPECT_THAT(texts(for_processes(2)), ElementsAre("/(Communication_delay(p0, time), .length(time))",
                                                   "/(Communication_delay(p1, time), .length(time))"));
}

TEST_F(CompilerTest, AnAggregateHasAPartForEachObject) {
  define("Imbalance");
  EXPECT_THAT(text(for_processes(2), for_processes(2).roots[0]),
              HasSubstr("MAX(-(.length(time), Communication_delay(p0, time)), -(.length(time), "
                        "Communication_delay(p1, time)))"));
}

TEST_F(CompilerTest, WhatChoosesObjectsIsComputed) {
  define("Load_imbalance_at_barrier");
  const Graph graph = for_processes(3);
  const std::string all = texts(graph)[0];
  EXPECT_THAT(all, HasSubstr("AT(Time(NOW), loop_stop, p0, vt)")) << "the process of rank 0";
  EXPECT_THAT(all, Not(HasSubstr("AT(Time(NOW), loop_stop, p1, vt)")));
  EXPECT_THAT(all, Not(HasSubstr("UNIQUE")));
  EXPECT_THAT(all, Not(HasSubstr("rank")));
  EXPECT_THAT(all, Not(HasSubstr("procs")));
}

TEST_F(CompilerTest, ConstantsAreFolded) {
  define("M",
         "M(Process[] procs, TimeInterval t) { Process p; RETURN SUM(Send_count(p, t) * (2 + p.rank * 3) "
         "WHERE p.rank > 0 AND p.name MATCHES 'p[0-1]'); }");
  EXPECT_THAT(texts(for_processes(3)), ElementsAre("SUM(*(Send_count(p1, t), 5))"));
}

TEST_F(CompilerTest, AConditionOnValuesStays) {
  define("M",
         "M(Process[] procs, TimeInterval t) { Process p; RETURN COUNT(Send_count(p, t) WHERE p IN procs AND "
         "Send_volume(p, t) > 10B); }");
  EXPECT_THAT(texts(for_processes(1)),
              ElementsAre("COUNT(WHERE(Send_count(p0, t), >(Send_volume(p0, t), 10B)))"));
}

TEST_F(CompilerTest, ACountOverSeveralObjectsIsTheirSum) {
  define("Send_bandwidth");
  EXPECT_THAT(texts(for_processes(2)),
              ElementsAre("RATE(SUM(Send_volume(p0, time), Send_volume(p1, time)))"));
}

TEST_F(CompilerTest, ManyProcessesGrowTheGraphInProportion) {
  define("Max_comm_delay_per_loop_execution");
  const std::size_t few = for_processes(10).nodes.size();
  const std::size_t many = for_processes(1000).nodes.size();
  const std::size_t of_each = (many - few) / 990;
  EXPECT_EQ(many, few + 990 * of_each);
  EXPECT_LT(of_each, 20U);
}

// --- dataflow ------------------------------------------------------------------------------------

TEST_F(CompilerTest, AProbeMakesItsValueFireAndIsTheRequesterOfItsTokens) {
  define(
      "M",
      "M(Process p, VirtualTime vt) { PROBE begin(Process, VirtualTime); PROBE end(Process, VirtualTime); "
      "RETURN Send_volume(p, [START, NOW]) AT end(p, vt) - Send_volume(p, [START, NOW]) AT begin(p, vt); }");
  const Graph graph = for_processes(1);
  const Dataflow flow = dataflow_of(graph, locate(graph, definition, &objects));
  ASSERT_EQ(flow.units.size(), 2U) << "what is measured, and the difference";
  EXPECT_EQ(flow.units[0].kind, FlowUnit::Kind::measurement);
  EXPECT_EQ(flow.units[0].firing, Firing::on_event);
  EXPECT_THAT(flow.units[0].probes, ElementsAre(1, 2));
  EXPECT_EQ(flow.units[1].firing, Firing::on_all);
  ASSERT_EQ(flow.queues.size(), 3U);
  EXPECT_EQ(flow.queues[0].requester + flow.queues[1].requester, 3U) << "one for each probe";
  EXPECT_EQ(flow.queues[2].to, FlowQueue::nothing) << "a queue is the root";
  for (const FlowQueue& queue : flow.queues) EXPECT_GT(queue.capacity, 1U);
}

TEST_F(CompilerTest, AShiftedVirtualTimeIsAUnitAndACollectionWaitsForTheReading) {
  define("Mean_iteration_time");
  const Graph graph = for_processes(1);
  const Dataflow flow = dataflow_of(graph, locate(graph, definition, &objects));
  std::map<FlowUnit::Kind, int> kinds;
  for (const FlowUnit& unit : flow.units) ++kinds[unit.kind];
  EXPECT_EQ(kinds[FlowUnit::Kind::measurement], 1) << "one clock";
  EXPECT_EQ(kinds[FlowUnit::Kind::shift], 1);
  EXPECT_EQ(kinds[FlowUnit::Kind::collection], 2) << "SUM and COUNT";
  EXPECT_EQ(kinds[FlowUnit::Kind::operation], 2) << "the difference, and the quotient";
}

TEST_F(CompilerTest, AConstantAtAProbeIsAnIterator) {
  define("Loop_Counter");
  const Graph graph = for_processes(1);
  const Dataflow flow = dataflow_of(graph, locate(graph, definition, &objects));
  EXPECT_EQ(flow.units[0].kind, FlowUnit::Kind::iterator);
  EXPECT_EQ(flow.units[0].firing, Firing::on_event);
}

// --- locations and parts -------------------------------------------------------------------------

TEST_F(CompilerTest, WhatIsOfOneProcessIsEvaluatedAtItsNode) {
  define("Mean_iteration_time");
  const Graph graph = for_processes(1);
  EXPECT_THAT(places(parts(graph), graph),
              UnorderedElementsAre(
                  testing::Pair("n0", UnorderedElementsAre("Time", "AT", "-", "SUM[vt]", "COUNT[vt]")),
                  testing::Pair("front-end", UnorderedElementsAre("connector", "connector", "/"))));
}

TEST_F(CompilerTest, WhatCanBeAnywhereIsCopiedToEachHost) {
  define("Max_comm_delay_per_loop_execution");
  const Graph graph = for_processes(3);
  auto all = places(parts(graph), graph);
  EXPECT_EQ(std::ranges::count(all["n0"], "Time"), 1) << "shared by the two processes on the node";
  EXPECT_EQ(std::ranges::count(all["n1"], "Time"), 1);
  EXPECT_EQ(std::ranges::count(all["front-end"], "connector"), 3) << "one for each process";
  EXPECT_EQ(std::ranges::count(all["front-end"], "Time"), 0);
}

TEST_F(CompilerTest, WhatAServerAndTheFrontEndNeedIsSentOnce) {
  define("M",
         "M(Process p, TimeInterval t) { PROBE end(Process, VirtualTime); VirtualTime vt; Value[] x; "
         "x[vt] = Send_volume(p, [START, NOW]) AT end(p, vt); "
         "RETURN MAX(x[vt]) * 2 + MAX(x[vt]); }");
  const Graph graph = for_processes(1);
  const auto all = places(parts(graph), graph);
  EXPECT_EQ(std::ranges::count(all.at("front-end"), "connector"), 1);
}

TEST_F(CompilerTest, ConnectorsTakeTheTokensOfOneQueueEach) {
  define("Load_imbalance_at_barrier");
  const Graph graph = for_processes(4);
  const Dataflow flow = parts(graph);
  for (std::uint32_t i = 0; i < flow.units.size(); ++i) {
    if (flow.units[i].kind != FlowUnit::Kind::connector) continue;
    const auto leads = std::ranges::count(flow.queues, i, &FlowQueue::to);
    EXPECT_EQ(leads, 1);
  }
  for (const FlowQueue& queue : flow.queues) {
    if (queue.from == FlowQueue::nothing || queue.to == FlowQueue::nothing) continue;
    const FlowUnit& from = flow.units[queue.from];
    const FlowUnit& to = flow.units[queue.to];
    EXPECT_TRUE(from.location == to.location || to.kind == FlowUnit::Kind::connector);
    EXPECT_LT(queue.from, queue.to) << "units come after those whose tokens they take";
  }
}

TEST_F(CompilerTest, PartnersAtAProbeAreEvaluatedAtTheFrontEnd) {
  define("Send_volume_for_interaction_vt");
  const Graph graph = for_processes(2);
  const auto placements = locate(graph, definition, &objects);
  EXPECT_TRUE(std::ranges::any_of(
      placements, [](const Placement& placement) { return placement.reason == Reason::partners; }));
  EXPECT_THAT(places(parts(graph), graph), testing::SizeIs(testing::Ge(1U)));
}

TEST_F(CompilerTest, TimesOfSeveralClocksAreOnlySubtracted) {
  define("M",
         "M(Process[] procs, VirtualTime vt) { PROBE end(Process, VirtualTime); Process p; Value[] twice; "
         "twice[p] = Time(NOW) AT end(p, vt) * 2; RETURN MAX(twice[p] WHERE p IN procs); }");
  const Graph graph = for_processes(2);
  const auto all = places(parts(graph), graph);
  EXPECT_EQ(std::ranges::count(all.at("front-end"), "*"), 2) << "what it makes could not be converted";
}

}  // namespace
}  // namespace eventspace::metrics
