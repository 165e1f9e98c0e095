#include <gtest/gtest.h>

#include "scopes/expressions/expression.h"
#include "tests/scopes/expressions/expression_talk.h"

namespace eventspace {
namespace {

using test::condition;

struct Case {
  std::string_view text;
  std::string_view fault;
};

void PrintTo(const Case& faulty, std::ostream* out) { *out << faulty.text; }

class FaultyExpression : public testing::TestWithParam<Case> {};

TEST_P(FaultyExpression, IsRefusedWithItsColumnAndTheAllowedForms) {
  const auto fault = Expression::fault(GetParam().text, condition);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->text, GetParam().fault);
  EXPECT_EQ(fault->text.find("column " + std::to_string(fault->offset + 1) + ": "), 0u);
  EXPECT_THROW(Expression(GetParam().text, condition, test::PlainNames()), ExpressionError);
}

constexpr std::string_view all_fields =
    "duration, age, in_flight, kind, thread, path, point, verb, from, status, process, node, peer, bytes, "
    "missed, sequence, parameter, virtual_time, passage, probe, value1, value2, value3, value4, value5, "
    "value6, "
    "value7, "
    "value8, call, communicator, partner, tag, ordinal, request, requests, calls, error, task, tasks, "
    "group, encoding, nested";

const std::string unknown_field =
    "column 1: unknown field 'durration'; did you mean 'duration'?; known: " + std::string(all_fields);

INSTANTIATE_TEST_SUITE_P(
    Characters, FaultyExpression,
    testing::Values(
        Case{"bytes = 4", "column 7: found '='; did you mean '=='?"},
        Case{"in_flight && true", "column 11: found '&&'; did you mean 'and'?"},
        Case{"in_flight || true", "column 11: found '||'; did you mean 'or'?"},
        Case{"!in_flight", "column 1: found '!'; did you mean 'not'?"},
        Case{"thread =~ 't*'", "column 8: found '=~'; did you mean 'matches'?"},
        Case{"bytes > $", "column 9: found '$'; expected a field, a value or an operator"},
        Case{"bytes > \x01", "column 9: found byte 0x01; expected a field, a value or an operator"},
        Case{"verb == 'take", "column 9: the text that begins here is not closed with '"},
        Case{"age > 20mz",
             "column 7: '20mz' is not a number, size or duration; expected a value such as 12, 0.5, 4KiB or "
             "20ms"},
        Case{"bytes > 1.",
             "column 9: '1.' is not a number, size or duration; expected a value such as 12, 0.5, 4KiB or "
             "20ms"},
        Case{"bytes > 1.5KiB",
             "column 9: '1.5KiB' is not a number, size or duration; expected a value such as 12, 0.5, "
             "4KiB or 20ms"}));

INSTANTIATE_TEST_SUITE_P(
    Order, FaultyExpression,
    testing::Values(Case{"", "column 1: found the end; expected a field or a value"},
                    Case{"bytes >", "column 8: found the end; expected a field or a value"},
                    Case{"bytes > > 3", "column 9: found '>'; expected a field or a value"},
                    Case{"bytes 3", "column 7: found '3'; expected an operator or the end"},
                    Case{"and in_flight", "column 1: found 'and'; expected a field or a value"},
                    Case{"(in_flight", "column 11: found the end; expected ')' for the '(' in column 1"},
                    Case{"in_flight)", "column 10: found ')'; expected an operator or the end"},
                    Case{"verb == 'take', true", "column 15: found ','; expected an operator or the end"},
                    Case{"1 < bytes < 3",
                         "column 11: comparisons cannot follow each other; join them with 'and'"}));

INSTANTIATE_TEST_SUITE_P(
    Names, FaultyExpression,
    testing::Values(
        Case{"durration > 1s", unknown_field},
        Case{"verb == 'wirte'",
             "column 9: unknown value 'wirte' for 'verb'; did you mean 'write'?; known: write, read, take, "
             "discard, pull, exchange, point, region, send, receive, complete, collective, probe, manage, "
             "start, look and 8 more"},
        Case{"'closd' != status",
             "column 1: unknown value 'closd' for 'status'; did you mean 'closed'?; known: ok, under way, "
             "empty, full, timed out, gone, closed, refused"},
        Case{"point matches 'x*'",
             "column 15: unknown value 'x*' for 'point'; known: thread, element, after-1, after-2, after-3, "
             "after-4, after-5, after-6, after-7, after-8, after-9"},
        Case{"from == 'newst'",
             "column 9: unknown value 'newst' for 'from'; did you mean 'newest'?; known: oldest, newest, at, "
             "after"},
        Case{"path matches 't['",
             "column 14: pattern 't[' has a '[' that does not begin a range of numbers "
             "such as [0-34]"}));

INSTANTIATE_TEST_SUITE_P(
    Types, FaultyExpression,
    testing::Values(
        Case{"verb == 20ms",
             "column 6: 'verb' is text and '20ms' is a duration: '==' compares values of one type"},
        Case{"duration > 20",
             "column 10: 'duration' is a duration and '20' is a number: '>' compares values of one "
             "type"},
        Case{"in_flight == 1",
             "column 11: 'in_flight' is true or false and '1' is a number: '==' compares values of "
             "one type"},
        Case{"thread < 't3'", "column 8: 'thread' is text: '<' compares numbers and durations"},
        Case{"true < false", "column 6: 'true' is true or false: '<' compares numbers and durations"},
        Case{"bytes and in_flight", "column 1: 'bytes' is a number: 'and' takes true or false"},
        Case{"in_flight or (bytes + 1)", "column 14: '(bytes + 1)' is a number: 'or' takes true or false"},
        Case{"not age", "column 5: 'age' is a duration: 'not' takes true or false"},
        Case{"-thread == 't'", "column 2: 'thread' is text: '-' takes a number or a duration"},
        Case{"bytes + 1s > 1s",
             "column 7: 'bytes' is a number and '1s' is a duration: '+' takes two numbers or "
             "two durations"},
        Case{"age * age > 1s",
             "column 5: 'age' is a duration and 'age' is a duration: '*' takes two numbers, or "
             "a duration and a number"},
        Case{"1 / age > 1",
             "column 3: '1' is a number and 'age' is a duration: '/' takes two numbers, two "
             "durations, or a duration by a number"},
        Case{"age % 2 > 1s",
             "column 5: 'age' is a duration and '2' is a number: '%' takes two numbers or two "
             "durations"},
        Case{"'a' + 'b' == 'ab'",
             "column 5: 'a' is text and 'b' is text: '+' takes two numbers or two durations"},
        Case{"bytes matches '1*'", "column 1: 'bytes' is a number: 'matches' compares text with a pattern"},
        Case{"thread matches peer",
             "column 16: found 'peer'; 'matches' takes a pattern in quotes, such as 'receive/**'"},
        Case{"duration", "column 1: 'duration' is a duration; expected true or false"},
        Case{" thread", "column 2: 'thread' is text; expected true or false"}));

std::string repeated(std::string_view text, int count) {
  std::string whole;
  for (int i = 0; i < count; ++i) whole += text;
  return whole;
}

std::string fault_of(const std::string& text) {
  const auto fault = Expression::fault(text, condition);
  return fault ? fault->text : "";
}

TEST(ExpressionLimits, DeepNestingIsRefused) {
  const auto nested = [](int depth) { return repeated("(", depth) + "true" + repeated(")", depth); };
  EXPECT_EQ(fault_of(nested(32)), "");
  EXPECT_EQ(fault_of(nested(33)), "column 33: nested deeper than 32 levels");
  EXPECT_EQ(fault_of(repeated("(", 900)), "column 33: nested deeper than 32 levels");
  EXPECT_EQ(fault_of(repeated("not ", 200) + "true"), "column 129: nested deeper than 32 levels");
  EXPECT_EQ(fault_of(repeated("-", 900)), "column 33: nested deeper than 32 levels");
}

TEST(ExpressionLimits, LongOnesAreRefused) {
  EXPECT_EQ(fault_of("true" + repeated(" ", 996)), "");
  EXPECT_EQ(fault_of("true" + repeated(" ", 997)), "column 1001: longer than 1000 bytes");
}

TEST(ExpressionLimits, TheLongestChainIsCompiled) {
  EXPECT_EQ(fault_of("1" + repeated("+1", 498) + ">1"), "");
  EXPECT_EQ(fault_of("true" + repeated(" or true", 124)), "");
}

TEST(ExpressionLimits, ALongPartIsShownShortened) {
  EXPECT_EQ(fault_of("not (" + repeated("1 + ", 100) + "1)"),
            "column 5: '(" + repeated("1 + ", 9) + "1 +...' is a number: 'not' takes true or false");
}

TEST(ExpressionTypes, SeveralMayBeAllowed) {
  constexpr std::array quantity{ValueType::number, ValueType::duration};
  EXPECT_FALSE(Expression::fault("bytes / 2", quantity));
  EXPECT_FALSE(Expression::fault("age", quantity));
  EXPECT_EQ(Expression::fault("in_flight", quantity)->text,
            "column 1: 'in_flight' is true or false; expected a number or a duration");
}

}  // namespace
}  // namespace eventspace
