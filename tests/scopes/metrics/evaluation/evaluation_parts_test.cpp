// ExpressionValues, AggregateValues and NewSteps over samples that are put in directly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scopes/metrics/evaluation/aggregate_values.h"
#include "scopes/metrics/evaluation/expression_values.h"
#include "scopes/metrics/evaluation/new_steps.h"
#include "tests/scopes/metrics/distribution/divided_run.h"

namespace eventspace::metrics {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The parts of an evaluator of one definition, and two processes that pass the probe `e`.
struct Parts {
  explicit Parts(const std::string& text) : definition(test::defined("M", text)) {
    for (const std::uint32_t process : {0U, 1U}) (void)history.process(process);
    chosen.assign(definition.parameters.size(), Chosen(2, true));
    context.chosen = chosen;
    context.moments = {100, 100, 1000, Span::since_start};
  }
  void pass(std::uint32_t process, std::int64_t step, double value) {
    Datum datum = Datum::at(value, 500 + step, 500 + step);
    history.samples().of(0, process).keep({0, step}, datum);
    ++context.now_known;
  }
  /// The virtual times that are new to the root of the definition, for process 0.
  std::vector<std::int64_t> new_steps() {
    std::vector<std::int64_t> found;
    const std::uint32_t variable = definition.given.at(definition.time);
    Binding binding(definition);
    Progress& progress = steps.progress({&root, {0}});
    steps.for_each(progress, root, binding, variable, [&] {
      if (values.of(root, binding).state == Datum::State::later && !context.is_giving_up) return false;
      found.push_back(binding.steps[variable].virtual_time);
      return true;
    });
    return found;
  }
  Datum value() {
    Binding binding(definition);
    return values.of(root, binding);
  }

  const test::PlainNames names;
  Definition definition;
  EventHistory history{definition, names};
  std::vector<Chosen> chosen;
  EvaluationContext context{definition, history};
  ValueNodes nodes{definition};
  CollectedTallies collected{definition};
  AggregateValues aggregates{context, values, steps};
  ExpressionValues values{context, nodes, collected, aggregates};
  NewSteps steps{context, values};
  ValueNode& root{nodes.make(definition.result)};
};

const std::string of_one = "M(Process p, VirtualTime vt) { PROBE e(Process, VirtualTime); RETURN ";
const std::string of_several =
    "M(Process[] procs, VirtualTime vt) { PROBE e(Process, VirtualTime); Process p; Value[] x; x[p] = "
    "Time(NOW) "
    "AT e(p, vt); RETURN ";

TEST(NewSteps, EachStepIsTakenOnce) {
  Parts parts(of_one + "Time(NOW) AT e(p, vt); }");
  parts.pass(0, 3, 1.0);
  parts.pass(0, 5, 1.0);
  EXPECT_THAT(parts.new_steps(), ElementsAre(3, 5));
  EXPECT_THAT(parts.new_steps(), IsEmpty());
  parts.pass(0, 6, 1.0);
  EXPECT_THAT(parts.new_steps(), ElementsAre(6));
}

TEST(NewSteps, AStepWaitsForTheObjectsThatHaveNotReachedIt) {
  Parts parts(of_several + "SUM(x[p] WHERE p IN procs); }");
  parts.pass(0, 1, 1.0);
  EXPECT_THAT(parts.new_steps(), IsEmpty());
  parts.pass(1, 1, 1.0);
  parts.pass(0, 2, 1.0);
  EXPECT_THAT(parts.new_steps(), ElementsAre(1));
}

TEST(NewSteps, TheFirstOfTooManyWaitingStepsIsGivenUp) {
  Parts parts(of_several + "SUM(x[p] WHERE p IN procs); }");
  for (std::int64_t step = 1; step <= static_cast<std::int64_t>(NewSteps::max_waiting); ++step)
    parts.pass(0, step, 1.0);
  EXPECT_THAT(parts.new_steps(), IsEmpty());
  EXPECT_EQ(parts.steps.given_up(), 0u);
  parts.pass(0, NewSteps::max_waiting + 1, 1.0);
  EXPECT_THAT(parts.new_steps(), ElementsAre(1));
  EXPECT_EQ(parts.steps.given_up(), 1u);
}

TEST(ExpressionValues, AColumnHoldsTheValuesOfItsSteps) {
  Parts parts(of_one + "2 * (Time(NOW) AT e(p, vt)) + 1s; }");
  for (std::int64_t step = 0; step < 5; ++step) parts.pass(0, step, static_cast<double>(step));
  const std::vector<Step> steps{{0, 1}, {0, 3}, {0, 4}};
  const std::uint32_t variable = parts.definition.given.at(parts.definition.time);
  Binding binding(parts.definition);
  ++parts.context.columns;
  const auto column = parts.values.column(parts.root, binding, variable, steps);
  ASSERT_EQ(column.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    binding.steps[variable] = steps[i];
    const Datum alone = parts.values.of(parts.root, binding);
    EXPECT_EQ(column[i].number, 2.0 * static_cast<double>(steps[i].virtual_time) + 1.0);
    EXPECT_EQ(column[i].number, alone.number);
    EXPECT_EQ(column[i].time_ns, alone.time_ns);
  }
}

TEST(ExpressionValues, AnObjectThatHasNotPassedTheProbeHasNoValueYet) {
  Parts parts(of_one + "1s + Time(NOW) AT e(p, vt); }");
  EXPECT_EQ(parts.value().state, Datum::State::later);
  parts.pass(0, 0, 4.0);
  EXPECT_EQ(parts.value().number, 5.0);
}

TEST(AggregateValues, OverVirtualTimesTakeEachValueOnce) {
  Parts parts(
      "M(Process[] procs, TimeInterval t) { PROBE e(Process, VirtualTime); Process p; VirtualTime v; Value[] "
      "x; "
      "x[v] = SUM[p](Time(NOW) AT e(p, v) WHERE p IN procs); RETURN SUM[v](x[v]); }");
  parts.pass(0, 1, 2.0);
  EXPECT_EQ(parts.value().number, 0.0) << "process 1 is not there yet";
  parts.pass(1, 1, 3.0);
  EXPECT_EQ(parts.value().number, 5.0);
  EXPECT_EQ(parts.value().number, 5.0);
  parts.pass(0, 2, 10.0);
  parts.pass(1, 2, 20.0);
  EXPECT_EQ(parts.value().number, 35.0);
}

}  // namespace
}  // namespace eventspace::metrics
