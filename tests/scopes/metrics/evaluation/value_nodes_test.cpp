#include "scopes/metrics/evaluation/value_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using test::defined;
using testing::IsEmpty;
using testing::SizeIs;

Definition of_steps(const std::string& value) {
  return defined("M",
                 "M(Process p, VirtualTime vt) { PROBE a(Process, VirtualTime); PROBE b(Process, "
                 "VirtualTime); RETURN " +
                     value + "; }");
}

TEST(ValueNodes, AnExpressionHasOneNode) {
  const Definition definition = of_steps("1 AT a(p, vt) + 2");
  ValueNodes nodes(definition);
  ValueNode& root = nodes.make(definition.result);
  EXPECT_FALSE(root.is_shared);
  EXPECT_EQ(&nodes.make(definition.result), &root);
  EXPECT_TRUE(root.is_shared);
  EXPECT_EQ(&nodes.of(definition.result->operands[0]), root.operands[0]);
  EXPECT_FALSE(root.operands[1]->is_shared) << "a constant is not worth it";
}

TEST(ValueNodes, ANodeNeedsTheSamplersOfItsOperands) {
  const Definition definition = of_steps("1 AT a(p, vt) + 1 AT b(p, vt - 2) + 3");
  ValueNodes nodes(definition);
  const ValueNode& root = nodes.make(definition.result);
  ASSERT_THAT(root.samplers, SizeIs(2));
  EXPECT_LT(root.samplers[0], root.samplers[1]);
  ASSERT_THAT(root.asked, SizeIs(2));
  EXPECT_EQ(root.asked[0].second + root.asked[1].second, -2);
  EXPECT_EQ(root.passer, definition.given.at(0)) << "all probes are passed by p";
  EXPECT_TRUE(root.has_column);
  EXPECT_THAT(root.operands[1]->samplers, IsEmpty());
  EXPECT_EQ(root.operands[1]->passer, ValueNode::nothing);
}

TEST(ValueNodes, ADifferenceOfTimesOfOneObjectIsADuration) {
  for (const auto& [value, is_duration] :
       {std::pair("Time(NOW) AT b(p, vt) - Time(NOW) AT a(p, vt)", true),
        std::pair("Send_delay(p, [START, NOW]) AT b(p, vt) - Send_delay(p, [START, NOW]) AT a(p, vt)", true),
        std::pair("Send_count(p, [START, NOW]) AT b(p, vt) - Send_count(p, [START, NOW]) AT a(p, vt)", false),
        std::pair("Time(NOW) AT b(p, vt) - Time(NOW)", false)}) {
    const Definition definition = of_steps(value);
    EXPECT_EQ(ValueNodes(definition).make(definition.result).is_duration, is_duration) << value;
  }
}

TEST(ValueNodes, AggregatesOverTheSameValuesAreTakenTogether) {
  const Definition definition = defined(
      "M",
      "M(Process p, TimeInterval t) { PROBE e(Process, VirtualTime); VirtualTime v; Value[] x; x[v] = "
      "Time(NOW) AT e(p, v); RETURN SUM(x[v] WHERE x[v].time IN t) / COUNT(x[v] WHERE x[v].time IN t) + "
      "MAX(x[v]); }");
  ValueNodes nodes(definition);
  const ValueNode& root = nodes.make(definition.result);
  const ValueNode& sum = *root.operands[0]->operands[0];
  const ValueNode& count = *root.operands[0]->operands[1];
  const ValueNode& max = *root.operands[1];
  EXPECT_EQ(sum.leader, count.leader);
  EXPECT_NE(sum.place, count.place);
  EXPECT_THAT(sum.leader->together, SizeIs(2));
  EXPECT_TRUE(sum.is_by_own_time);
  EXPECT_EQ(max.leader, &max) << "without a condition";
  EXPECT_FALSE(max.is_by_own_time);
  EXPECT_FALSE(max.has_column);
}

TEST(ValueNodes, TheUnmatchedValuesOfTheWorstNodeCount) {
  const Definition definition = of_steps("1 AT a(p, vt) + 2");
  ValueNodes nodes(definition);
  ValueNode& root = nodes.make(definition.result);
  root.unmatched = 3;
  root.operands[0]->unmatched = 5;
  EXPECT_EQ(nodes.unmatched(), 5u);
}

}  // namespace
}  // namespace eventspace::metrics
