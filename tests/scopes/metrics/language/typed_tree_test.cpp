// The checker's results for expressions: precedence, variables that aggregates bind, shifts, streams.

#include "scopes/metrics/language/typed_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scopes/metrics/metric_library.h"
#include "tests/scopes/metrics/language/typed_text.h"
#include "tests/scopes/metrics/metric_talk.h"

namespace eventspace::metrics {
namespace {

using ::testing::IsEmpty;

/// Returns the checked result of a metric with these statements, with all parentheses and bound variables.
std::string checked(std::string_view statements,
                    std::string_view parameters = "Process[] procs, TimeInterval t") {
  MetricLibrary library;
  const auto faults = library.add(fmt::format(
      "Step(Process p, VirtualTime vt) {{ PROBE done(Process, VirtualTime); RETURN Time(NOW) AT "
      "done(p, vt); }}\n"
      "M({}) {{ PROBE end(Process, VirtualTime, Value); Process p, q; VirtualTime vt; Value v; Value[] a, "
      "b;\n{} }}",
      parameters, statements));
  EXPECT_THAT(test::described(faults), IsEmpty());
  return faults.empty() ? to_text(library.metrics()[1], library.metrics()) : "";
}

TEST(TypedTree, OperatorsBindAsInArithmetic) {
  EXPECT_EQ(checked("RETURN 1 + 2 * 3 - 4 / -5;"), "((1 + (2 * 3)) - (4 / (-5)))");
  EXPECT_EQ(checked("RETURN COUNT(p WHERE NOT p.rank == 1 AND p IN procs OR p.rank + 1 > 2);"),
            "COUNT[p](p WHERE (((not (p.rank == 1)) and (p IN procs)) or ((p.rank + 1) > 2)))");
}

TEST(TypedTree, AParenthesisHoldsATruthOrAValue) {
  EXPECT_EQ(checked("RETURN COUNT(p WHERE (p.rank + 1) * 2 > 3 AND (p IN procs));"),
            "COUNT[p](p WHERE ((((p.rank + 1) * 2) > 3) and (p IN procs)))");
}

TEST(TypedTree, AtBindsMoreTightlyThanOperators) {
  EXPECT_EQ(checked("RETURN SUM[p][vt](-1 AT end(p, vt) * 2 - 3 AT end(p, vt - 1));"),
            "SUM[p][vt]((((-(1 AT end(p, vt))) * 2) - (3 AT end(p, vt-1))))");
}

TEST(TypedTree, KeywordsIgnoreCase) {
  EXPECT_EQ(checked("return Count(p where p in procs and not p.name matches 'x*');"),
            "COUNT[p](p WHERE ((p IN procs) and (not (p.name matches 'x*'))))");
}

TEST(TypedTree, ACallAfterADotTakesTheObjectFirst) {
  EXPECT_EQ(checked("RETURN procs.Send_volume([START, NOW]);"), "Send_volume(procs, [START, NOW])");
}

TEST(TypedTree, AVariableStandsForItsValue) {
  EXPECT_EQ(checked("Value x = t.length; v = 2 * x; RETURN v + x;"), "((2 * t.length) + t.length)");
}

TEST(TypedTree, AnIndexReplacesTheVariable) {
  EXPECT_EQ(
      checked(
          "a[p] = Send_count(p, t) * p.rank; Process first = UNIQUE(q WHERE q.rank == 0); RETURN a[first];"),
      "(Send_count(UNIQUE[q](q WHERE (q.rank == 0)), t) * UNIQUE[q](q WHERE (q.rank == 0)).rank)");
}

TEST(TypedTree, ABoundVariableIsRenamedWhereItsNameIsGiven) {
  EXPECT_EQ(checked("a[p] = COUNT(q WHERE q.rank > p.rank); RETURN SUM(a[q] WHERE q IN procs);"),
            "SUM[q](COUNT[q'](q' WHERE (q'.rank > q.rank)) WHERE (q IN procs))");
}

TEST(TypedTree, ShiftsAddUp) {
  EXPECT_EQ(checked("a[vt] = 1 AT end(UNIQUE(q), vt - 1); RETURN SUM(a[vt - 2] + a[vt]);"),
            "SUM[vt](((1 AT end(UNIQUE[q](q), vt-3)) + (1 AT end(UNIQUE[q](q), vt-1))))");
}

TEST(TypedTree, AnAggregateBindsTheVariablesOfItsCondition) {
  EXPECT_EQ(
      checked("a[vt] = MAX(Step(p, vt) WHERE p IN procs); RETURN SUM(a[vt] WHERE a[vt].time IN t);"),
      "SUM[vt](MAX[p](Step(p, vt) WHERE (p IN procs)) WHERE (MAX[p](Step(p, vt) WHERE (p IN procs)).time IN "
      "t))");
}

TEST(TypedTree, WithoutAConditionAnAggregateBindsAllButTheIndices) {
  EXPECT_EQ(checked("a[vt] = MAX(Step(p, vt)); RETURN SUM(a[vt]);"), "SUM[vt](MAX[p](Step(p, vt)))");
}

TEST(TypedTree, SeveralObjectsForOneAreEachTaken) {
  EXPECT_EQ(checked("a[vt] = MAX(Step(procs, vt)); RETURN SUM(a[vt]);"),
            "SUM[vt](MAX[procs'](Step(procs', vt) WHERE (procs' IN procs)))");
}

TEST(TypedTree, AVariableTakesTheValueOfAProbe) {
  EXPECT_EQ(checked("b[vt] = v AT end(UNIQUE(q), vt, v); RETURN MAX(b[vt]);"),
            "MAX[vt]((VALUE1 AT end(UNIQUE[q](q), vt)))");
}

TEST(TypedTree, SeveralValuesAreCombined) {
  EXPECT_EQ(checked("RETURN MAX(1, Send_count(procs, t), 3);"), "MAX(1, Send_count(procs, t), 3)");
}

TEST(TypedTree, UnitsFollowFromTheValues) {
  EXPECT_EQ(to_string(MetricLibrary::shipped().metrics()[4].result->type.unit), "s");
  MetricLibrary library;
  EXPECT_THAT(
      test::described(library.add("M(Process p, TimeInterval t) { RETURN RATE(Send_volume(p, t)) / 4KiB; }")),
      IsEmpty());
  EXPECT_EQ(to_string(library.metrics()[0].result->type.unit), "1/s");
}

}  // namespace
}  // namespace eventspace::metrics
