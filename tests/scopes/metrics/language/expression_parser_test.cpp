#include "scopes/metrics/language/expression_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace eventspace::metrics {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// The sources of a tree's inner nodes, each in parentheses.
std::string shape(const Syntax& node) {
  if (node.operands.empty()) return std::string(node.source);
  std::string text = "(";
  for (const auto& operand : node.operands) text += (text == "(" ? "" : " ") + shape(*operand);
  return text + ")";
}

class ExpressionParserTest : public testing::Test {
 protected:
  std::string parsed(const std::string& text) {
    TokenReader tokens(text);
    ExpressionParser parser(tokens);
    try {
      const auto node = parser.expression();
      EXPECT_EQ(node->source, text);
      return shape(*node);
    } catch (const Abandoned&) {
      faults = tokens.faults();
      return "abandoned";
    }
  }

  std::vector<Fault> faults;
};

TEST_F(ExpressionParserTest, OperatorsBindByTheirPrecedence) {
  EXPECT_EQ(parsed("a + b * c"), "(a (b c))");
  EXPECT_EQ(parsed("(a + b) * c"), "((a b) c)");
  EXPECT_EQ(parsed("a < b + c AND d OR e"), "(((a (b c)) d) e)");
  EXPECT_EQ(parsed("NOT a == b"), "((a b))");
}

TEST_F(ExpressionParserTest, OperatorsOfOneLevelBindFromTheLeft) {
  EXPECT_EQ(parsed("a - b - c"), "((a b) c)");
  EXPECT_EQ(parsed("a / b % c"), "((a b) c)");
}

TEST_F(ExpressionParserTest, ComparisonsDoNotFollowEachOther) {
  EXPECT_EQ(parsed("a < b < c"), "abandoned");
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].offset, 6u);
}

TEST_F(ExpressionParserTest, NestingAndPartsAreLimited) {
  const auto nested = [&](int levels) { return std::string(levels, '(') + "a" + std::string(levels, ')'); };
  EXPECT_EQ(parsed(nested(deepest_nesting)), nested(deepest_nesting));
  EXPECT_EQ(parsed(nested(deepest_nesting + 1)), "abandoned");
  EXPECT_THAT(faults.at(0).text, HasSubstr("nested deeper than"));
  std::string sum = "a";
  for (int i = 0; i < max_parts; ++i) sum += "+a";
  EXPECT_EQ(parsed(sum), "abandoned");
  EXPECT_THAT(faults.at(0).text, HasSubstr("divide it"));
}

}  // namespace
}  // namespace eventspace::metrics
