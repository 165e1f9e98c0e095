#include "monitors/budget/budget_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collectors/switching/switch_order.h"
#include "monitors/text/counted.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {
namespace {

// Without an exponent, which {:.2g} writes from 99.5 on and below 0.0001.
std::string percent(double share) {
  const double percents = 100 * share;
  return percents >= 10 || percents < 0.0001 ? fmt::format("{:.0f}%", percents)
                                             : fmt::format("{:.2g}%", percents);
}

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
      if (!step.may_switch)
        return "the budget cannot be kept, and this tool may not switch what is recorded, so watching stops";
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

std::string text_of_sum(double budget, const BudgetControl& control, std::size_t steps) {
  const Overhead& sum = control.sum();
  if (sum.of <= 0) return "no thread that records was seen, so the overhead is not known";
  const bool is_kept = !control.has_given_up() && control.counted_share() <= budget;
  const char* const uncounted =
      is_kept && sum.share() > budget
          ? " (watching an idle program, and records that this tool may not switch, do not count)"
          : "";
  return fmt::format(
      "overhead {} to {} of the processor time of threads that record ({} to {} for records, {} for "
      "watching); the budget was {}; {}{}; {}",
      percent(sum.low() / sum.of), percent(sum.high() / sum.of), percent(sum.records.low / sum.of),
      percent(sum.records.high / sum.of), percent(sum.watching / sum.of), text_of_budget(budget),
      is_kept ? "kept" : "not kept", uncounted, counted(steps, "step"));
}

std::string text_of_other_keeper(std::int32_t holder) {
  return fmt::format(
      "{} keeps a budget of this session already, so this tool switches nothing while that one runs",
      holder == 0 ? std::string("another tool") : fmt::format("process {}", holder));
}

std::string text_of_restoring(std::string_view session) {
  return fmt::format("`eventspace switch {} on` records everything again", session);
}

std::string text_of_thinned(const std::vector<std::string>& names, std::string_view session) {
  constexpr std::size_t most = 10;
  const std::vector<std::string> named(names.begin(), names.begin() + std::min(names.size(), most));
  const std::size_t others = names.size() - named.size();
  return fmt::format(
      "{}{} did not answer or refused, and may still record less than before; {}", fmt::join(named, ", "),
      others == 0 ? std::string() : " and " + counted(others, "other process"), text_of_restoring(session));
}

}  // namespace eventspace
