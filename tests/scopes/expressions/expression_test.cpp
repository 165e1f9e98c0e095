#include "scopes/expressions/expression.h"

#include <gtest/gtest.h>

#include "tests/scopes/expressions/expression_talk.h"

namespace eventspace {
namespace {

class ExpressionTest : public testing::Test, protected test::TakenTuple {
 protected:
  void expect_true(std::initializer_list<std::string_view> texts) const {
    for (const auto text : texts) EXPECT_TRUE(holds(text)) << text;
  }
  void expect_false(std::initializer_list<std::string_view> texts) const {
    for (const auto text : texts) EXPECT_FALSE(holds(text)) << text;
  }
};

// --- fields ----------------------------------------------------------------------------------------

TEST_F(ExpressionTest, TimesAreInTheClockOfTheProcess) {
  EXPECT_EQ(number("duration"), 2000.0);
  EXPECT_EQ(number("age"), 4000.0);
  expect_true({"duration == 2us", "age == 4us"});
}

TEST_F(ExpressionTest, NumbersAreThoseOfTheRecord) {
  EXPECT_EQ(number("bytes"), 4096.0);
  EXPECT_EQ(number("missed"), 2.0);
  EXPECT_EQ(number("sequence"), 7.0);
  EXPECT_EQ(number("parameter"), 9.0);
  EXPECT_EQ(number("virtual_time"), 5.0);
}

TEST_F(ExpressionTest, NamesAreThoseOfThePlan) {
  expect_true({"thread == 't3'", "path == 'path12'", "process == 'p1'", "node == 'n1'", "peer == \"t4\""});
  expect_false({"thread == 't4'", "path != 'path12'", "peer == 't3'"});
}

TEST_F(ExpressionTest, NamesMatchPatterns) {
  expect_true({"thread matches 't[1-3]'", "path matches 'path*'", "not (process matches 'q*')"});
  expect_false({"thread matches 't'", "path matches '?'"});
}

TEST_F(ExpressionTest, EachNumberBehindANameIsLookedUpForItself) {
  const Expression expression("thread matches 't[0-9]'", test::any_type, names);
  for (const bool again : {false, true}) {
    for (std::uint32_t thread = 0; thread < 64; ++thread) {
      record.thread = thread;
      EXPECT_EQ(expression.holds(event()), thread < 10) << thread << again;
    }
  }
  record.thread = 256 + 3;  // unknown, and in the same place of NameTest's cache as 3
  EXPECT_FALSE(expression.holds(event()));
  record.thread = 3;
  EXPECT_TRUE(expression.holds(event()));
}

TEST_F(ExpressionTest, WordsAreThoseOfTheOperation) {
  expect_true({"verb == 'take'", "from == 'after'", "status == 'ok'", "point == 'thread'", "'take' == verb"});
  expect_true({"verb != 'write'", "verb matches 't*'", "status matches '{ok,empty}'"});
  expect_false({"verb == 'read'", "verb != 'take'", "'take' != verb", "point matches 'e*'"});
  record.status = Status::timed_out;
  record.point = 1;
  expect_true({"status == 'timed out'", "point == 'element'"});
}

TEST_F(ExpressionTest, WordsAreTheOnesShownElsewhere) {
  for (int verb = 1; verb <= 5; ++verb) {
    record.verb = static_cast<Verb>(verb);
    EXPECT_TRUE(holds("verb == '" + std::string(to_string(record.verb)) + "'")) << verb;
  }
  for (int status = 0; status <= 7; ++status) {
    record.status = static_cast<Status>(status);
    EXPECT_TRUE(holds("status == '" + std::string(to_string(record.status)) + "'")) << status;
  }
}

TEST_F(ExpressionTest, TwoFieldsOfTextAreCompared) {
  expect_false({"thread == peer", "verb == status"});
  expect_true({"thread != peer"});
  record.peer = 3;
  expect_true({"thread == peer", "peer == thread"});
}

// --- values and operators --------------------------------------------------------------------------

TEST_F(ExpressionTest, NumbersHaveFractionsAndSizes) {
  expect_true({"bytes == 4KiB", "bytes == 4096", "4kB == 4000", "0.5 < 1", "1.25 == 5/4", "1GiB > 1GB"});
}

TEST_F(ExpressionTest, DurationsHaveUnits) {
  EXPECT_EQ(number("20ms"), 20e6);
  EXPECT_EQ(number("1.5us"), 1500.0);
  expect_true({"1min == 60s", "1h > 59min", "duration < 2001ns"});
}

TEST_F(ExpressionTest, ProductsBindTighterThanSums) {
  EXPECT_EQ(number("2 + 3 * 4 - 6 / 3"), 12.0);
  EXPECT_EQ(number("(2 + 3) * 4"), 20.0);
  EXPECT_EQ(number("10 - 4 - 3"), 3.0);
  EXPECT_EQ(number("16 / 4 / 2"), 2.0);
  EXPECT_EQ(number("7 % 4 * 2"), 6.0);
  EXPECT_EQ(number("-2 * -3"), 6.0);
  EXPECT_EQ(number("- -3"), 3.0);
}

TEST_F(ExpressionTest, DurationsAreScaledAndDivided) {
  EXPECT_EQ(number("2 * 10us"), 20'000.0);
  EXPECT_EQ(number("10us * 2 + 1us"), 21'000.0);
  EXPECT_EQ(number("age / 2"), 2000.0);
  EXPECT_EQ(number("age / duration"), 2.0);
  EXPECT_EQ(number("age % 3us"), 1000.0);
  EXPECT_EQ(number("-age"), -4000.0);
}

TEST_F(ExpressionTest, TheTypeIsThatOfTheOutermostOperator) {
  const auto type = [&](std::string_view text) { return Expression(text, test::any_type, names).type(); };
  EXPECT_EQ(type("age / duration"), ValueType::number);
  EXPECT_EQ(type("age / 2"), ValueType::duration);
  EXPECT_EQ(type("2 * age"), ValueType::duration);
  EXPECT_EQ(type("age > 2s"), ValueType::boolean);
  EXPECT_EQ(type("thread"), ValueType::text);
}

TEST_F(ExpressionTest, AndBindsTighterThanOrAndNotTighterThanBoth) {
  expect_true({"true or true and false", "not false and true", "not (false or false)"});
  expect_false({"(true or true) and false", "not true or false", "not not false"});
  expect_true({"not bytes > 5000", "bytes > 1 and bytes < 5000", "bytes > 5000 or verb == 'take'"});
}

TEST_F(ExpressionTest, ComparisonsAreTheUsualOnes) {
  expect_true({"2 < 3", "2 <= 2", "3 > 2", "3 >= 3", "2 != 3", "2 == 2"});
  expect_false({"3 < 3", "3 <= 2", "3 > 3", "2 >= 3", "2 != 2", "2 == 3"});
  expect_true({"in_flight == false", "true != false", "(1 < 2) == (2 < 3)"});
}

TEST_F(ExpressionTest, BlanksDoNotMatter) {
  expect_true({"bytes==4096 and verb=='take'", "  bytes\t==\n4096  ", "(bytes)>(1)"});
}

TEST_F(ExpressionTest, AnEventOfAnUnknownKindHasTheFieldsOfAllKinds) {
  record.kind = 200;
  expect_true({"thread == 't3'", "duration == 2us", "not verb == 'take'"});
  expect_false({"kind == 'operation'", "kind != 'operation'", "verb != 'take'", "bytes >= 0"});
}

// --- missing values --------------------------------------------------------------------------------

TEST_F(ExpressionTest, AnOperationInFlightHasAnAgeAndNoDuration) {
  begin_only();
  EXPECT_EQ(number("duration"), std::nullopt);
  EXPECT_EQ(number("age"), 4000.0);
  expect_true({"in_flight", "status == 'under way'", "in_flight and age > 1us or duration > 1us"});
  expect_false({"duration > 0s", "duration <= 0s", "duration != 1s"});
  EXPECT_EQ(number("age - duration"), std::nullopt);
  EXPECT_EQ(number("bytes"), std::nullopt);
  EXPECT_EQ(number("virtual_time"), std::nullopt);
}

TEST_F(ExpressionTest, ComparisonsWithMissingValuesAreFalseAndTheirNegationIsTrue) {
  record.peer = no_peer;
  expect_false({"peer == 't4'", "peer != 't4'", "peer matches '**'", "peer == thread", "peer != thread"});
  expect_true({"not peer == 't4'"});
}

TEST_F(ExpressionTest, WithoutItsProcessAnEventHasNoTimes) {
  is_reported = false;
  EXPECT_EQ(number("duration"), std::nullopt);
  EXPECT_EQ(number("age"), std::nullopt);
  expect_false({"process == 'p1'", "node matches '*'"});
  expect_true({"thread == 't3'"});
}

TEST_F(ExpressionTest, DivisionByZeroAndOverflowHaveNoResult) {
  EXPECT_EQ(number("1 / 0"), std::nullopt);
  EXPECT_EQ(number("1 % (missed - 2)"), std::nullopt);
  const std::string huge(300, '9');
  EXPECT_EQ(number(huge + " * " + huge), std::nullopt);
  expect_false({"1 / 0 == 1 / 0", "1 / 0 > 1"});
}

TEST_F(ExpressionTest, AgeIsNeverNegative) {
  process.now_ticks = 50;  // read by another branch before the event
  EXPECT_EQ(number("age"), 0.0);
}

TEST_F(ExpressionTest, NumbersWithoutAWordAreNoWord) {
  record.verb = static_cast<Verb>(200);
  record.from = static_cast<From>(9);
  record.point = 40'000;
  expect_false(
      {"verb == 'take'", "verb != 'take'", "verb matches '*'", "point != 'thread'", "from == point"});
}

TEST_F(ExpressionTest, NoByteAboveThoseOfTheWordsIsAWord) {
  const Expression any_verb("verb matches '*'", test::any_type, names);
  const Expression any_status("status matches '*'", test::any_type, names);
  for (unsigned byte = 8; byte < 256; ++byte) {
    record.verb = static_cast<Verb>(byte < 16 ? byte : 8 + byte % 8);  // four bits
    record.status = static_cast<Status>(byte);
    EXPECT_FALSE(any_verb.holds(event())) << byte;
    EXPECT_FALSE(any_status.holds(event())) << byte;
  }
}

}  // namespace
}  // namespace eventspace
