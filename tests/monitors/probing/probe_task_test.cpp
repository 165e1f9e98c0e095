#include "monitors/probing/measuring/probe_task.h"

#include <gmock/gmock.h>

#include <bit>
#include <chrono>
#include <optional>
#include <span>

#include <eventspace/error.h>
#include "monitors/probing/measuring/measured_calls.h"
#include "tests/error_text.h"

namespace eventspace {
namespace {

using testing::HasSubstr;

std::string fault_of(const ProbeTask& task) {
  return test::error_text<ConfigurationError>([&] { (void)compile_task(task); });
}

ProbeTask with_when(const std::string& when) {
  ProbeTask task;
  task.when = when;
  return task;
}

ProbeTask with_values(std::vector<std::string> values) {
  ProbeTask task;
  task.values = std::move(values);
  return task;
}

TEST(ProbeTask, NeedsExitsOnlyForTimesAndResults) {
  EXPECT_TRUE(compile_task({}).is_counting);
  EXPECT_FALSE(compile_task(with_when("arg0 == 1")).has_exits);
  EXPECT_FALSE(compile_task(with_values({"int3 * 8"})).has_exits);
  EXPECT_TRUE(compile_task(with_when("result == 0")).has_exits);
  EXPECT_TRUE(compile_task(with_when("arg0 == 1 and duration > 1us")).is_when_at_exit);
  EXPECT_TRUE(compile_task(with_values({"arg0", "int_result"})).has_exits);
}

TEST(ProbeTask, HasRealNumbersOfTheirOwnRegisters) {
  const CompiledTask task = compile_task(with_values({"double7 + float0", "int0 * 2", "arg1 / 2.0"}));
  EXPECT_FALSE(task.has_exits);
  EXPECT_EQ(task.real_values(), 0b101U);
  EXPECT_EQ(task.places(), 1U << measuring::argument0 | 1U << 1 | 1U << measuring::real_argument0 |
                               1U << (measuring::real_argument0 + 7));
  EXPECT_TRUE(compile_task(with_when("double_result < 1")).has_exits);
  EXPECT_TRUE(compile_task(with_values({"float_result"})).has_exits);
}

ProbeTask with_lets(std::vector<std::string> lets, const std::string& when = "") {
  ProbeTask task;
  task.lets = std::move(lets);
  task.when = when;
  return task;
}

TEST(ProbeTask, HasVariablesThatExpressionsRead) {
  const CompiledTask task =
      compile_task(with_lets({"inside += 1 at solve*(int, int)", "inside+=-1 after =solve",
                              "last = double_result after f", "sum = sum + arg0 at g"},
                             "inside > 0 and last < 1.5"));
  ASSERT_EQ(task.lets.size(), 4U);
  EXPECT_EQ(task.lets[0].pattern, "solve*(int, int)");
  EXPECT_TRUE(task.lets[0].adds && !task.lets[0].is_at_exit);
  EXPECT_TRUE(task.lets[1].adds && task.lets[1].is_at_exit);
  EXPECT_EQ(task.lets[1].variable, 0);
  EXPECT_EQ(task.lets[2].variable, 1);
  ASSERT_EQ(task.variables.size(), 3U);
  EXPECT_FALSE(task.variables[0].is_real);
  EXPECT_TRUE(task.variables[1].is_real);
  EXPECT_FALSE(task.variables[2].is_real);
  EXPECT_FALSE(task.has_exits) << "the measured function needs none";
  EXPECT_FALSE(task.is_counting);
}

TEST(ProbeTask, SaysWhatIsWrongWithVariables) {
  const auto fault = [](const std::string& let) { return fault_of(with_lets({let})); };
  EXPECT_THAT(fault("inside"),
              HasSubstr("--set 'inside' sets no variable; expected 'NAME = NUMBER at PATTERN'"));
  EXPECT_THAT(fault("a = 1"), HasSubstr("names no functions"));
  EXPECT_THAT(fault("a = 1 at "), HasSubstr("names no functions"));
  EXPECT_THAT(fault("arg0 = 1 at f"), HasSubstr("'arg0' cannot be a variable"));
  EXPECT_THAT(fault("at = 1 at f"), HasSubstr("'at' cannot be a variable"));
  EXPECT_THAT(fault("a b = 1 at f"), HasSubstr("'a b' cannot be a variable"));
  EXPECT_THAT(fault("a = b at f"), HasSubstr("--set ' b': column 2: unknown field 'b'"));
  EXPECT_THAT(fault("a = arg0 > 1 at f"), HasSubstr("expected a number"));
  EXPECT_THAT(fault("a = result at f"), HasSubstr("'at' can use arguments, 'after' can use results"));
  EXPECT_THAT(fault("a = arg0 after f"), HasSubstr("both can use the thread and variables"));
  EXPECT_THAT(
      fault_of(with_lets({"a = 1 at f", "a = 1.0 after f"})),
      HasSubstr("the first --set of 'a' makes it a whole number, and this one gives it a real number"));
  EXPECT_THAT(fault_of(with_lets(std::vector<std::string>(9, "a = 1 at f"))), HasSubstr("at most 8"));
  EXPECT_THAT(fault_of(with_lets({"a = 1 at f"}, "b > 0")), HasSubstr("unknown field 'b'"));
}

TEST(ProbeTask, SaysWhatIsWrong) {
  EXPECT_THAT(fault_of(with_when("arg6 == 1")),
              HasSubstr("--when 'arg6 == 1': column 1: unknown field 'arg6'"));
  EXPECT_THAT(fault_of(with_when("double8 > 0")), HasSubstr("unknown field 'double8'"));
  EXPECT_THAT(fault_of(with_values({"double0 % 2"})), HasSubstr("--value 'double0 % 2': column 9"));
  EXPECT_THAT(fault_of(with_when("double0 > 1ms")),
              HasSubstr("'double0' is a number and '1ms' is a duration"));
  EXPECT_THAT(fault_of(with_when("arg0")), HasSubstr("'arg0' is a number; expected true or false"));
  EXPECT_THAT(fault_of(with_values({"arg0 > 1"})), HasSubstr("--value 'arg0 > 1': column 1"));
  EXPECT_THAT(fault_of(with_values({"1", "2", "3", "4", "5"})), HasSubstr("at most 4"));
  EXPECT_THAT(fault_of(with_when("verb == 'take'")), HasSubstr("unknown field 'verb'"));
}

TEST(MeasuredCalls, AreTheSumOfAllLines) {
  std::vector<measuring::MeasureLine> lines(2);
  lines[0].calls = 2;
  lines[0].sum_ns = 30;
  lines[0].least_ns = ~std::uint64_t{10};
  lines[0].greatest_ns = 20;
  lines[0].histogram[3] = 1;
  lines[0].histogram[4] = 1;
  lines[1] = lines[0];
  lines[1].least_ns = ~std::uint64_t{8};
  lines[0].values[0] = {
      1, static_cast<std::uint64_t>(-5), UINT64_MAX, ~measuring::ordered(-5), measuring::ordered(-5), 0};
  lines[1].values[0] = {1, 7, 0, ~measuring::ordered(7), measuring::ordered(7), 2};
  const MeasuredCalls measured = measured_in(std::as_bytes(std::span(lines)));
  EXPECT_EQ(measured.calls, 4U);
  EXPECT_EQ(measured.least_ns, 8U);
  EXPECT_EQ(measured.greatest_ns, 20U);
  EXPECT_EQ(measured.mean_ns(), 15.0);
  EXPECT_EQ(measured.quantile_ns(0.5), 15U);
  EXPECT_EQ(measured.quantile_ns(0.99), 20U);
  EXPECT_EQ(measured.values[0].sum, 2.0);
  EXPECT_EQ(measured.values[0].least, -5);
  EXPECT_EQ(measured.values[0].greatest, 7);
  EXPECT_EQ(measured.values[0].missing, 2U);
  EXPECT_EQ(measured.values[1].least, std::nullopt);
}

TEST(ProbeTask, APhaseIsLongerThan0AndAtMostAYear) {
  using std::chrono::nanoseconds;
  EXPECT_EQ(checked_phase(std::nullopt), std::nullopt);
  EXPECT_EQ(checked_phase(nanoseconds(1)), nanoseconds(1));
  EXPECT_EQ(checked_phase(nanoseconds::max()), std::chrono::hours(24 * 366));
  ProbeTask task;
  task.phase = nanoseconds(0);
  EXPECT_THROW((void)compile_task(task), ConfigurationError);
}

TEST(MeasuredCalls, OfRealNumbersHaveTheirOrder) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const auto line = [&](double value) {
    measuring::MeasureLine one{};
    const std::uint64_t ordered = measuring::ordered_real(bits(value));
    one.values[1] = {1, bits(value), 0, ~ordered, ordered, 0};
    return one;
  };
  const std::vector<measuring::MeasureLine> lines{line(-2.5), line(1e-3), line(-1e-3), line(0.0)};
  const MeasuredCalls measured = measured_in(std::as_bytes(std::span(lines)), 0b10);
  EXPECT_EQ(measured.values[1].count, 4U);
  EXPECT_EQ(measured.values[1].sum, -2.5);
  EXPECT_EQ(measured.values[1].real_least, -2.5);
  EXPECT_EQ(measured.values[1].real_greatest, 1e-3);
}

// A thread counts a number, then raises the greatest one, then the least one.
TEST(MeasuredCalls, ANumberWithoutBoundsYetIsMissing) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const std::uint64_t ordered = measuring::ordered_real(bits(4.5));
  std::vector<measuring::MeasureLine> lines(3);
  lines[0].values[0] = {1, bits(4.5), 0, 0, 0, 0};
  lines[1].values[0] = {1, bits(4.5), 0, 0, ordered, 2};
  const auto value = [&] { return measured_in(std::as_bytes(std::span(lines)), 0b1).values[0]; };
  EXPECT_EQ(value().count, 0U);
  EXPECT_EQ(value().missing, 4U);
  EXPECT_EQ(value().sum, 0);
  EXPECT_EQ(value().real_least, std::nullopt);
  EXPECT_EQ(value().real_greatest, std::nullopt);
  lines[2].values[0] = {1, bits(4.5), 0, ~ordered, ordered, 0};
  EXPECT_EQ(value().count, 1U);
  EXPECT_EQ(value().missing, 4U);
  EXPECT_EQ(value().real_least, 4.5);
  EXPECT_EQ(value().real_greatest, 4.5);
}

TEST(MeasuredCalls, WithoutLinesAreEmpty) {
  const MeasuredCalls measured = measured_in({});
  EXPECT_EQ(measured.calls, 0U);
  EXPECT_EQ(measured.mean_ns(), 0.0);
  EXPECT_EQ(measured.quantile_ns(0.5), 0U);
}

}  // namespace
}  // namespace eventspace
