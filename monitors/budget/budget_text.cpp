#include "monitors/budget/budget_text.h"

#include <fmt/format.h>

#include "collectors/switching/switch_order.h"
#include "monitors/text/counted.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {
namespace {

std::string percent(double share) { return fmt::format("{:.2g}%", 100 * share); }

std::string change_of(const BudgetStep& step) {
  switch (step.what) {
    case BudgetStep::What::interval:
      return step.to == 1 ? std::string("pulling as often as without a budget")
                          : fmt::format("pulling {} times less often", step.to);
    case BudgetStep::What::period:
      if (step.to == CollectSwitch::off) return fmt::format("recording no events of {}", describe(step.of));
      if (step.to == CollectSwitch::everything)
        return fmt::format("recording all events of {} again", describe(step.of));
      return fmt::format("recording 1 in {} events of {}", step.to, describe(step.of));
    case BudgetStep::What::give_up:
      return "the budget cannot be kept; nothing more can be switched off, so watching stops. What is off "
             "stays off: "
             "`eventspace switch` with `on` records again";
  }
  return "?";
}

}  // namespace

std::string text_of(const BudgetStep& step) {
  return fmt::format("{} (overhead {}{})", change_of(step), step.is_tighter() ? "up to " : "only ",
                     percent(step.share));
}

std::string text_of_sum(double budget, const Overhead& sum, std::size_t steps) {
  if (sum.of <= 0) return "no thread that records was seen, so the overhead is not known";
  return fmt::format(
      "overhead {} to {} of the processor time of threads that record ({} to {} for records, {} for "
      "watching); the budget was {}; {}; {}",
      percent(sum.low() / sum.of), percent(sum.high() / sum.of), percent(sum.records.low / sum.of),
      percent(sum.records.high / sum.of), percent(sum.watching / sum.of), text_of_budget(budget),
      sum.share() <= budget ? "kept" : "not kept", counted(steps, "step"));
}

}  // namespace eventspace
