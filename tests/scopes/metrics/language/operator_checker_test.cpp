#include "scopes/metrics/language/operator_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace eventspace::metrics {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// An expression of two operands, whose types are given.
class OperatorCheckerTest : public testing::Test {
 protected:
  OperatorCheckerTest() {
    for (int i = 0; i < 2; ++i) {
      syntax.operands.push_back(std::make_unique<Syntax>());
      syntax.operands.back()->source = i == 0 ? "left" : "right";
    }
  }
  Typed node(const MetricType& type, TypedNode::Kind kind = TypedNode::Kind::probe_value,
             double value = 0.0) {
    TypedNode made;
    made.kind = kind;
    made.type = type;
    made.value = value;
    return nodes.make(std::move(made));
  }
  Typed checked(Operator op, const Typed& left, const Typed& right) {
    syntax.kind = Syntax::Kind::binary;
    syntax.op = op;
    TypedNode operands;
    operands.operands = {left, right};
    return OperatorChecker(checked_nodes).of(syntax, std::move(operands));
  }

  NodeTable nodes;
  std::vector<Fault> faults;
  CheckedNodes checked_nodes{nodes, faults};
  Syntax syntax;
  const MetricType seconds{Base::value, 0, second};
  const MetricType bytes{Base::value, 0, byte};
};

TEST_F(OperatorCheckerTest, UnitsAreMultipliedAndDivided) {
  const Typed rate = checked(Operator::divided, node(bytes), node(seconds));
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->type.unit, (Unit{-1, 1}));
  const Typed back = checked(Operator::times, rate, node(seconds));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->type.unit, byte);
  EXPECT_THAT(faults, SizeIs(0));
}

TEST_F(OperatorCheckerTest, ValuesOfDifferentUnitsAreNotAdded) {
  EXPECT_FALSE(checked(Operator::plus, node(bytes), node(seconds)));
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(faults[0].text, HasSubstr("takes values of one unit"));
}

TEST_F(OperatorCheckerTest, ADifferenceOfPointsOfTimeIsInSeconds) {
  const Typed length = checked(Operator::minus, node({Base::time_point}), node({Base::time_point}));
  ASSERT_TRUE(length);
  EXPECT_EQ(length->type.unit, second);
}

TEST_F(OperatorCheckerTest, AVirtualTimeIsShiftedByAWholeNumber) {
  const Typed when = node({Base::virtual_time});
  const Typed shifted = checked(Operator::minus, when, node({Base::value}, TypedNode::Kind::number, 2.0));
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->kind, TypedNode::Kind::shifted);
  EXPECT_EQ(shifted->shift, -2);
  EXPECT_FALSE(checked(Operator::minus, when, node({Base::value}, TypedNode::Kind::number, 0.5)));
  EXPECT_THAT(faults, SizeIs(1));
}

TEST_F(OperatorCheckerTest, AnAttributeThatTheTypeLacksIsAFault) {
  syntax.kind = Syntax::Kind::attribute;
  syntax.name.text = "rank";
  TypedNode process;
  process.operands = {node({Base::process})};
  EXPECT_TRUE(OperatorChecker(checked_nodes).of(syntax, process));
  TypedNode site;
  site.operands = {node({Base::site})};
  EXPECT_FALSE(OperatorChecker(checked_nodes).of(syntax, site));
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_THAT(faults[0].text, HasSubstr("which has no attribute 'rank'"));
}

}  // namespace
}  // namespace eventspace::metrics
