#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pathmaps/plan/plan_names.h"
#include "tests/pathmaps/expansion/scopes/tree_text.h"
#include "tests/pathmaps/pathmap_text.h"

// Expansion of a scope's `collect:` to scope parts, their paths and trace elements; and of `of:`.

namespace eventspace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* by_cluster =
    "levels: [{group: all, wrapper: gather}, {group: cluster, wrapper: gather}, "
    "{group: node, wrapper: gather}]";

/// A pathmap with thread a on node n1 and b on n2, behind the gateway g.
PathmapText behind_a_gateway(const std::string& scopes) {
  return PathmapText()
      .cluster(
          "  nodes:\n    g: {host: h, port: 10}\n    n1: {host: h, port: 11}\n    n2: {host: h, port: 12}\n"
          "  clusters: {c: {gateway: g, nodes: [n1, n2]}}\n")
      .placement(
          "  processes: {pa: {node: n1, threads: a}, pb: {node: n2, threads: b}}\n"
          "  elements: [{elements: box, node: n2}]\n")
      .collect("  threshold: 70\n  points: [{at: [thread, element]}]\n")
      .scopes(scopes);
}

std::string observed(const std::string& collect = "{}") {
  return "  events: {collect: " + collect + ", " + by_cluster + "}\n";
}

std::vector<std::string> names_of_parts(const Plan& plan) {
  std::vector<std::string> names;
  for (const ScopePartPlan& part : plan.parts) names.push_back(part.name);
  return names;
}

/// Returns the trace elements of the scopes' own paths.
std::vector<std::string> traces_of_parts(const Plan& plan) {
  std::vector<std::string> names;
  for (const TracePlan& trace : plan.traces)
    if (plan.is_of_scope(trace.path)) names.push_back(trace.name);
  return names;
}

std::vector<std::string> read_below(const Plan& plan, const ScopeNode& node) {
  std::vector<std::string> names;
  for (const SourceRef& source : node.sources) names.push_back(plan.traces.at(TraceIndex(source.trace)).name);
  for (const ScopeNode& child : node.children)
    for (std::string& name : read_below(plan, child)) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> read_through(const Plan& plan, const std::string& scope) {
  return read_below(plan, plan.find_scope(scope)->root);
}

TEST(ScopeParts, HaveAnAnswerPathAndAPathToEachPartBelow) {
  const auto plan = behind_a_gateway(observed()).plan();
  EXPECT_THAT(names_of_parts(plan), ElementsAre("scopes/events/g", "scopes/events/n1", "scopes/events/n2"));
  EXPECT_THAT(traces_of_parts(plan),
              ElementsAre("scopes/events/g/answer@element", "scopes/events/g/ask/n1@thread",
                          "scopes/events/g/ask/n2@thread", "scopes/events/n1/answer@element",
                          "scopes/events/n2/answer@element"));
  const auto& gateway = plan.parts.front();
  const auto& last = plan.parts.back();
  EXPECT_EQ(gateway.scope, "events");
  EXPECT_EQ(gateway.node, plan.find_node("g"));
  EXPECT_THAT(gateway.asks, ElementsAre(gateway.answer.next(), gateway.answer.next().next()));
  const auto& ask = plan.paths.at(gateway.asks.at(1));
  EXPECT_EQ(ask.thread, gateway.thread);
  EXPECT_EQ(ask.element, last.element);
  EXPECT_EQ(ask.peer, last.thread);
  EXPECT_EQ(plan.paths.at(gateway.answer).peer, std::nullopt);
  for (const auto& part : plan.parts) {
    EXPECT_EQ(plan.threads.at(part.thread).name, part.name);
    EXPECT_EQ(plan.threads.at(part.thread).host(), Host(part.node));
    EXPECT_EQ(plan.elements.at(part.element).host, Host(part.node));
    EXPECT_EQ(number_of_process(plan, plan.threads.at(part.thread).host()),
              number_of_node_server(plan, part.node));
  }
}

TEST(ScopeParts, TheirTraceElementsAreInTheSegmentOfTheirServer) {
  const auto plan = behind_a_gateway(observed("{threshold: 9}")).plan();
  for (const auto& trace : plan.traces) {
    if (!plan.is_of_scope(trace.path)) continue;
    EXPECT_TRUE(std::holds_alternative<NodeIndex>(trace.host));
    EXPECT_EQ(trace.host, plan.threads.at(plan.paths.at(trace.path).thread).host());
    EXPECT_EQ(trace.threshold, 9U);
  }
  EXPECT_EQ(behind_a_gateway(observed()).plan().traces.back().threshold, 70U);
}

TEST(ScopeParts, TheTreeHasTheNumbersOfTheirPaths) {
  const auto plan = behind_a_gateway(observed()).plan();
  const auto& root = plan.find_scope("events")->root;
  EXPECT_EQ(root.answer_path, std::nullopt);
  const auto& gateway = root.children.at(0);
  EXPECT_EQ(gateway.ask_path, std::nullopt);  // the consumer's own pulls are not recorded
  EXPECT_EQ(gateway.answer_path, plan.parts.front().answer.number32());
  EXPECT_EQ(gateway.children.at(1).ask_path, plan.parts.front().asks.at(1).number32());
  EXPECT_EQ(gateway.children.at(1).answer_path, plan.parts.back().answer.number32());
}

TEST(ScopeParts, AreRecordedAtTheGivenPoints) {
  EXPECT_THAT(traces_of_parts(behind_a_gateway(observed("{at: thread}")).plan()),
              ElementsAre("scopes/events/g/ask/n1@thread", "scopes/events/g/ask/n2@thread"));
  const auto plan = behind_a_gateway(observed("{at: element}")).plan();
  EXPECT_THAT(traces_of_parts(plan), SizeIs(3));
  const auto& node = plan.find_scope("events")->root.children.at(0).children.at(0);
  EXPECT_EQ(node.ask_path, std::nullopt);
  EXPECT_NE(node.answer_path, std::nullopt);
}

TEST(ScopeParts, OfOneNodeAreNumbered) {
  const auto plan = PathmapText()
                        .scopes(
                            "  s: {collect: {}, levels: [{group: all, wrapper: gather}, {group: thread, "
                            "wrapper: gather}]}\n")
                        .plan();
  EXPECT_THAT(names_of_parts(plan), ElementsAre("scopes/s/n1/1", "scopes/s/n1/2"));
}

TEST(ScopeParts, ThereAreNoneWithoutCollect) {
  const auto plan = behind_a_gateway(std::string("  events: {") + by_cluster + "}\n").plan();
  EXPECT_THAT(plan.parts, IsEmpty());
  EXPECT_EQ(plan.path_count(), plan.paths.size());
  EXPECT_EQ(plan.scopes_fingerprint, plan.fingerprint);
  EXPECT_EQ(plan.find_scope("events")->root.children.at(0).answer_path, std::nullopt);
}

TEST(ScopeParts, AreNotInTheApplication) {
  const std::string all = "  all: {threads: \"**\", at: [thread, element], shape: flat}\n";
  const auto without = behind_a_gateway(all).plan();
  const auto plan = behind_a_gateway(observed() + all).plan();
  EXPECT_EQ(read_through(plan, "all"), read_through(without, "all"));
  EXPECT_EQ(plan.thread_count(), without.thread_count());
  EXPECT_EQ(plan.element_count(), without.element_count());
  EXPECT_EQ(plan.path_count(), without.paths.size());
}

TEST(ScopeParts, TheApplicationsFingerprintIsTheSameWithThem) {
  const auto without = behind_a_gateway("").plan();
  const auto plan = behind_a_gateway(observed()).plan();
  const auto other = behind_a_gateway("  events: {collect: {}, shape: by-node}\n").plan();
  EXPECT_EQ(plan.fingerprint, without.fingerprint);
  EXPECT_EQ(other.fingerprint, without.fingerprint);
  EXPECT_NE(plan.scopes_fingerprint, plan.fingerprint);
  EXPECT_NE(other.scopes_fingerprint, plan.scopes_fingerprint);
  EXPECT_EQ(plan.scopes_fingerprint, behind_a_gateway(observed("{threshold: 5}")).plan().scopes_fingerprint);
  EXPECT_EQ(plan.find_scope("events")->fingerprint, plan.scopes_fingerprint);
}

TEST(ObserverScope, ReadsTheRecordsOfThePartsOfAnother) {
  const auto plan = behind_a_gateway(observed() + "  own: {of: events, shape: by-node}\n").plan();
  EXPECT_EQ(
      tree_text(plan, plan.find_scope("own")->root),
      "all: gather\n"
      "  node g: gather on g\n"
      "    read of node g on node g: read [scopes/events/g/answer@element scopes/events/g/ask/n1@thread "
      "scopes/events/g/ask/n2@thread]\n"
      "  node n1: gather on n1 via g\n"
      "    read of node n1 on node n1: read [scopes/events/n1/answer@element]\n"
      "  node n2: gather on n2 via g\n"
      "    read of node n2 on node n2: read [scopes/events/n2/answer@element]\n");
}

TEST(ObserverScope, SelectsAmongTheParts) {
  const auto own = [](const std::string& keys) {
    return read_through(
        behind_a_gateway("  own: {of: events, " + keys + ", shape: flat}\n" + observed()).plan(), "own");
  };
  EXPECT_THAT(own("threads: \"scopes/events/n?\""),
              ElementsAre("scopes/events/n1/answer@element", "scopes/events/n2/answer@element"));
  EXPECT_THAT(own("paths: \"ask/n2\""), ElementsAre("scopes/events/g/ask/n2@thread"));
  EXPECT_THAT(own("at: thread"), SizeIs(2));
  EXPECT_THAT(own("except: [{paths: \"ask/*\"}]"), SizeIs(3));
}

TEST(ObserverScope, CanHaveAWrittenTree) {
  const auto plan =
      behind_a_gateway(observed() +
                       "  own:\n    of: events\n    tree:\n      name: whole\n      on: consumer\n"
                       "      wrapper: gather\n      sources: [{threads: \"scopes/**\"}]\n")
          .plan();
  EXPECT_THAT(read_through(plan, "own"), SizeIs(5));
}

TEST(ObserverScope, CanBeObservedItself) {
  const auto plan = behind_a_gateway(
                        "  third: {of: [own, events], shape: flat}\n"
                        "  own: {of: events, collect: {}, shape: by-node}\n" +
                        observed())
                        .plan();
  EXPECT_THAT(names_of_parts(plan), ElementsAre("scopes/events/g", "scopes/events/n1", "scopes/events/n2",
                                                "scopes/own/g", "scopes/own/n1", "scopes/own/n2"));
  EXPECT_THAT(read_through(plan, "third"), SizeIs(8));
}

}  // namespace
}  // namespace eventspace
