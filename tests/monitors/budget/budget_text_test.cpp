#include "monitors/budget/budget_text.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "monitors/budget/budget_lines.h"

namespace eventspace {
namespace {

using testing::HasSubstr;
using testing::Not;
using What = BudgetStep::What;

constexpr EventClasses of_mpi{3, EventClasses::all_classes};
constexpr RecordCosts text_costs{{40, 120}, {4, 8}, {1, 2}};

// One look of a second, of one thread that runs all the time, or of one that runs a hundredth of it.
BudgetControl after_a_look(bool may_switch, double events, std::chrono::nanoseconds watching, bool is_idle) {
  BudgetControl control({.budget = 0.01, .costs = text_costs, .may_switch = may_switch});
  (void)control.look({.elapsed = std::chrono::seconds(1),
                      .recording_cpu = std::chrono::milliseconds(is_idle ? 10 : 1000),
                      .watching_cpu = watching,
                      .classes = {{.of = of_mpi, .recorded = events, .events = events}}});
  return control;
}

TEST(BudgetText, SharesArePlainPercents) {
  EXPECT_EQ(text_of(BudgetStep{What::period, of_mpi, 1, 10, 1.2}),
            "recording 1 in 10 events of mpi (overhead up to 120%)");
  EXPECT_EQ(text_of(BudgetStep{What::period, of_mpi, 1, 10, 0.032}),
            "recording 1 in 10 events of mpi (overhead up to 3.2%)");
  EXPECT_EQ(text_of(BudgetStep{What::period, of_mpi, 10, 1, 0.00051}),
            "recording all events of mpi again (overhead only 0.051%)");
  EXPECT_EQ(text_of(BudgetStep{What::interval, {}, 2, 1, 1e-9}),
            "pulling as often as without a budget (overhead only 0%)");
}

TEST(BudgetText, GivingUpDoesNotClaimThatEventsAreOffIfTheToolMayNotSwitch) {
  BudgetStep step{What::give_up, {}, 0, 0, 0.1};
  EXPECT_THAT(text_of(step), HasSubstr("What is off stays off"));
  step.may_switch = false;
  EXPECT_EQ(text_of(step),
            "the budget cannot be kept, and this tool may not switch what is recorded, so watching stops "
            "(overhead up to 10%)");
}

TEST(BudgetText, TheSumSaysWhetherTheBudgetWasKept) {
  using std::chrono::milliseconds;
  EXPECT_EQ(
      text_of_sum(0.01, after_a_look(true, 10'000, milliseconds(1), false), 1),
      "overhead 0.14% to 0.22% of the processor time of threads that record (0.04% to 0.12% for records, "
      "0.1% for watching); the budget was 1%; kept; 1 step");
  EXPECT_THAT(text_of_sum(0.01, after_a_look(true, 1e6, milliseconds(1), false), 2),
              HasSubstr("the budget was 1%; not kept; 2 steps"));
}

TEST(BudgetText, TheSumSaysWhatDidNotCount) {
  using std::chrono::milliseconds;
  constexpr const char* kept =
      "the budget was 1%; kept (watching an idle program, and records that this tool may not switch, do not "
      "count); 0 steps";
  EXPECT_THAT(text_of_sum(0.01, after_a_look(true, 10, milliseconds(1), true), 0), HasSubstr(kept));
  EXPECT_THAT(text_of_sum(0.01, after_a_look(false, 1e6, milliseconds(1), false), 0), HasSubstr(kept));
}

TEST(BudgetText, AnotherToolIsNamedIfItIsKnown) {
  EXPECT_EQ(text_of_other_keeper(12),
            "process 12 keeps a budget of this session already, so this tool switches nothing while that one "
            "runs");
  EXPECT_THAT(text_of_other_keeper(0), testing::StartsWith("another tool keeps a budget"));
}

TEST(BudgetText, ManyThinnedProcessesAreCounted) {
  std::vector<std::string> names;
  for (int i = 1; i <= 13; ++i) names.push_back("p" + std::to_string(i));
  EXPECT_THAT(text_of_thinned(names, "s"),
              testing::StartsWith("p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 and 3 "
                                  "other processes did not answer"));
}

TEST(BudgetLines, ArePrintedOnceWhenAsked) {
  BudgetLines lines;
  const auto say = lines.say();
  testing::internal::CaptureStderr();
  say("first");
  say("second");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  lines.print();
  lines.print();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "eventspace: first\neventspace: second\n");
}

TEST(BudgetLines, KeepTheNewestAndSayHowManyAreLeftOut) {
  testing::internal::CaptureStderr();
  {
    BudgetLines lines;
    const auto say = lines.say();
    for (std::size_t i = 0; i < BudgetLines::max_lines + 2; ++i) say("line " + std::to_string(i) + ".");
  }
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, testing::StartsWith("eventspace: budget: 2 earlier lines left out here\n"));
  EXPECT_THAT(printed, Not(HasSubstr("line 1.")));
  EXPECT_THAT(printed, HasSubstr("line 2."));
  EXPECT_THAT(printed, HasSubstr("line 1001."));
}

}  // namespace
}  // namespace eventspace
