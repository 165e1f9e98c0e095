#include "monitors/budget/overhead_model.h"

#include <gmock/gmock.h>

#include "monitors/budget/record_costs.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {
namespace {

using testing::Gt;
using testing::Lt;

constexpr EventClasses model_writes{1, 0};
constexpr RecordCosts model_costs{{40, 120}, {4, 8}, {1, 2}};

TEST(OverheadModel, ARecordedEventCostsOneRecord) {
  EXPECT_EQ(cost_of({.of = model_writes, .events = 100}, 1, model_costs), (Range{4000, 12000}));
}

TEST(OverheadModel, OfOneEventInTenNineAreCounted) {
  EXPECT_EQ(cost_of({.of = model_writes, .events = 100}, 10, model_costs),
            (Range{10 * 40 + 90 * 4, 10 * 120 + 90 * 8}));
}

TEST(OverheadModel, EventsThatAreOffStillCost) {
  EXPECT_EQ(cost_of({.of = model_writes, .events = 100}, 0, model_costs), (Range{100, 200}));
}

TEST(OverheadModel, TheShareIsOfTheTimeOfThreadsThatRecord) {
  LookCounts counts{.elapsed = std::chrono::seconds(1),
                    .recording_cpu = std::chrono::milliseconds(500),
                    .watching_cpu = std::chrono::milliseconds(1)};
  counts.classes = {{.of = model_writes, .recorded = 10'000, .events = 10'000}};
  const Overhead overhead = overhead_of(counts, model_costs);
  EXPECT_DOUBLE_EQ(overhead.high(), 10'000 * 120 + 1e6);
  EXPECT_DOUBLE_EQ(overhead.low(), 10'000 * 40 + 1e6);
  EXPECT_DOUBLE_EQ(overhead.share(), (10'000 * 120 + 1e6) / 5e8);
  EXPECT_EQ(Overhead().share(), 0);
}

TEST(OverheadModel, LoadsOfOneClassAreAddedUpUnlessTheirSettingsDiffer) {
  const ClassLoad one{.of = model_writes, .recorded = 1, .events = 10, .period = 10};
  ClassLoad fixed = one;
  fixed.is_fixed = true;
  const auto sums = summed({one, fixed, one});
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].events, 20);
  EXPECT_EQ(sums[1].events, 10);
}

// The costs differ by machine, but recording costs more than counting, and each takes time.
TEST(RecordCosts, AreMeasuredInThisProcess) {
  const RecordCosts measured = measure_record_costs();
  EXPECT_THAT(measured.recorded.low, Gt(measured.counted.low));
  EXPECT_THAT(measured.off.low, Gt(0));
  EXPECT_THAT(measured.recorded.high, Lt(1e6));
  for (const Range& range : {measured.recorded, measured.counted, measured.off})
    EXPECT_LE(range.low, range.high);
}

TEST(BudgetOption, TakesAShareInPercent) {
  EXPECT_DOUBLE_EQ(budget_from("1%").value(), 0.01);
  EXPECT_DOUBLE_EQ(budget_from("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(budget_from("100%").value(), 1);
  for (const char* const text : {"", "%", "1", "0%", "-1%", "101%", "nan%", "1%%", "1 %", "x%"})
    EXPECT_FALSE(budget_from(text)) << text;
  EXPECT_EQ(text_of_budget(0.005), "0.5%");
  EXPECT_EQ(budget_from(text_of_budget(0.0123)), 0.0123);
}

}  // namespace
}  // namespace eventspace
