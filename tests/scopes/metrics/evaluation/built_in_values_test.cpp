#include "scopes/metrics/evaluation/built_in_values.h"

#include <gtest/gtest.h>

#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

/// One built-in metric over an interval, and a history without events.
class BuiltInValuesTest : public testing::Test {
 protected:
  BuiltInValuesTest() { context.moments = {100, 200, 300, Span::since_start}; }

  Datum value() {
    BuiltInValues::Operands operands;
    operands[0] = {process};
    return BuiltInValues(context).of(nodes.make(definition.result), operands);
  }

  const test::PlainNames names;
  const Definition definition =
      test::defined("M", "M(Process p, TimeInterval t) { RETURN Send_delay(p, t); }");
  EventHistory history{definition, names};
  EvaluationContext context{definition, history};
  ValueNodes nodes{definition};
  const std::uint32_t process = history.process(3);
  const std::uint32_t thread = history.thread(5, 3);
};

TEST_F(BuiltInValuesTest, TheClockIsTheTimeOfTheReading) {
  context.moments.now_ns = 3'000'000'000;
  const Datum clock = BuiltInValues(context).clock();
  EXPECT_EQ(clock.number, 3.0);
  EXPECT_EQ(clock.time_ns, 3'000'000'000);
}

TEST_F(BuiltInValuesTest, ACountCoversTheIntervalOfItsLastOperand) {
  history.totals(0).of(thread) = 4.0;
  history.mark_read(100);
  history.totals(0).of(thread) += 2.0;
  EXPECT_EQ(value().number, 6.0);
  EXPECT_EQ(value().begin_ns, 100);
  context.moments.span = Span::since_last;
  EXPECT_EQ(value().number, 2.0);
  EXPECT_EQ(value().begin_ns, 200);
  EXPECT_EQ(value().end_ns, 300);
}

TEST_F(BuiltInValuesTest, AHeldCountHasNoValueExceptAtAProbe) {
  history.totals(0).note_in_flight(thread, 150);
  context.moments.span = Span::since_last;
  EXPECT_FALSE(value().is_present());
  const ProbeSamples::Passage passage{{}, 0, 0, {}, false, std::array<std::optional<double>, 8>{}};
  context.passage = &passage;
  EXPECT_TRUE(value().is_present());
}

}  // namespace
}  // namespace eventspace::metrics
