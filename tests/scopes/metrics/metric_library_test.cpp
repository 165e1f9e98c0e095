#include "scopes/metrics/metric_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scopes/metrics/shipped_metrics.h"
#include "tests/scopes/metrics/metric_talk.h"

namespace eventspace::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(MetricLibrary, TheShippedMetricsHaveNoFault) {
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(shipped_metrics)), IsEmpty());
  EXPECT_THAT(MetricLibrary::shipped().metrics(), SizeIs(library.metrics().size()));
}

TEST(MetricLibrary, HasTheEightMetricsOfThePaperFirst) {
  std::vector<std::string> names;
  for (const Metric& metric : MetricLibrary::shipped().metrics().first(8)) names.push_back(metric.name);
  EXPECT_THAT(
      names, ElementsAre("Send_volume_for_interaction_vt", "Send_volume_for_interaction",
                         "Load_imbalance_at_barrier", "Loop_Counter", "Iteration_time", "Mean_iteration_time",
                         "Comm_delay_per_loop_execution", "Max_comm_delay_per_loop_execution"));
}

TEST(MetricLibrary, AFileUsesTheMetricsOfThoseBefore) {
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(shipped_metrics)), IsEmpty());
  EXPECT_THAT(
      test::described(library.add("Twice(Process p, TimeInterval t) { RETURN 2 * Loop_Counter(p, t); }")),
      IsEmpty());
  EXPECT_TRUE(library.find("Twice"));
}

TEST(MetricLibrary, AddsNothingOfAFileWithAFault) {
  MetricLibrary library;
  EXPECT_THAT(library.add("Good(TimePoint t) { RETURN 1; }\nBad(TimePoint t) { RETURN x; }"), SizeIs(1));
  EXPECT_THAT(library.metrics(), IsEmpty());
}

TEST(MetricLibrary, ReportsAllFaultsOfAFileWithTheirPlaces) {
  MetricLibrary library;
  const auto faults = library.add(
      "A(TimePoint t) {\n"
      "  Value x = ;\n"
      "  RETURN y +;\n"
      "}\n"
      "B(TimePoint t) {\n"
      "  RETURN 1s + 2KiB;\n"
      "}\n"
      "C(Proces p, TimePoint t) { RETURN 1 }\n");
  EXPECT_THAT(
      test::described(faults),
      ElementsAre("2:13: found ';'; expected a value, a variable, a metric or '('",
                  "3:13: found ';'; expected a value, a variable, a metric or '('",
                  "6:13: '1s' is a value in s and '2KiB' is a value in B: '+' takes values of one unit",
                  "8:37: found '}'; expected ';' at the end of the statement"));
}

TEST(MetricLibrary, KeepsTheTextOfAMetricWithItsComment) {
  MetricLibrary library;
  const std::string first = "// One.\n// Of it.\nOne(TimePoint t) { RETURN 1; }";
  const std::string second = "Two(TimePoint t) { RETURN 2; }";
  EXPECT_THAT(test::described(library.add("// A file.\n\n" + first + "\n" + second + "\n")), IsEmpty());
  EXPECT_EQ(library.metrics()[0].source, first);
  EXPECT_EQ(library.metrics()[1].source, second);
}

TEST(MetricLibrary, AFileOfParenthesesIsRefusedAtOnce) {
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(std::string(10'000'000, '('))),
              ElementsAre("1:262145: the file is longer than 256 KiB"));
  EXPECT_THAT(test::described(library.add("M(TimePoint t) { RETURN " + std::string(200'000, '(') + "1; }")),
              ElementsAre("1:57: nested deeper than 32 levels"));
}

TEST(MetricLibrary, ALongSumIsRefused) {
  std::string text = "M(TimePoint t) { RETURN 1";
  for (int i = 0; i < 1000; ++i) text += "+1";
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(text + "; }")),
              ElementsAre("1:525: the statement has more than 500 parts; divide it"));
}

// The same before AT, where sampled values and waiting for a probe are not allowed.
TEST(MetricLibrary, VariablesThatAreUsedTwiceBeforeAtAreLookedAtOnce) {
  std::string text =
      "M(Process p, VirtualTime v) { PROBE e(Process, VirtualTime); Value x0 = Send_count(p, [START, NOW]);";
  for (int i = 1; i <= 60; ++i) text += fmt::format("Value x{} = x{} + x{};", i, i - 1, i - 1);
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(text + "RETURN x60 AT e(p, v); }")), testing::IsEmpty());
}

// Each variable uses the one before it twice: as a tree, the last would have 2^60 nodes.
TEST(MetricLibrary, VariablesThatAreUsedTwiceAreShared) {
  std::string text =
      "M(Process p, TimeInterval t) { PROBE e(Process, VirtualTime); VirtualTime v; Value[] x0; x0[v] = 1 AT "
      "e(p, v);";
  for (int i = 1; i <= 60; ++i)
    text += fmt::format("Value[] x{0}; x{0}[v] = x{1}[v - 1] + x{1}[v - 1];", i, i - 1);
  MetricLibrary library;
  EXPECT_THAT(test::described(library.add(text + "RETURN SUM(x60[v]); }")), IsEmpty());
}

}  // namespace
}  // namespace eventspace::metrics
