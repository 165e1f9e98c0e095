#include "monitors/budget/budget_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectors/switching/switch_order.h"
#include "monitors/budget/budget_text.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {

BudgetWatch::BudgetWatch(BudgetedSession& session, const BudgetControl::Settings& settings, Say say)
    : session_(&session),
      budget_(settings.budget),
      may_stretch_(settings.may_stretch),
      control_(settings),
      counts_(session.names()),
      say_(std::move(say)),
      looked_(session.now()),
      watching_cpu_(session.watching_cpu()) {}

LookCounts BudgetWatch::counts_of(const View& view) {
  const auto now = session_->now();
  const auto cpu = session_->watching_cpu();
  LookCounts counts;
  counts.elapsed = now - std::exchange(looked_, now);
  counts.watching_cpu = cpu - std::exchange(watching_cpu_, cpu);
  ClassCounts::Look look = counts_.observe(view);
  thinned_.note(look.processes);
  counts.recording_cpu = look.recording_cpu;
  for (const ProcessLoads& process : look.processes)
    counts.classes.insert(counts.classes.end(), process.classes.begin(), process.classes.end());
  counts.classes = summed(std::move(counts.classes));
  return counts;
}

void BudgetWatch::look(bool may_switch) {
  const View view = session_->look();
  control_.let_switch(may_switch && !is_refused_);
  const std::vector<BudgetStep> steps = control_.look(counts_of(view));
  say_users_choices();
  for (const BudgetStep& step : steps)
    say_(fmt::format("budget {}: {}", text_of_budget(budget_), text_of(step)));
  steps_ += steps.size();
  // Also without a new step: a process that has begun since records everything.
  if (may_switch && !is_refused_) carry_out(control_.periods());
}

void BudgetWatch::carry_out(const BudgetControl::Periods& wanted) {
  for (const PeriodOrder& order : thinned_.orders(wanted)) {
    const BudgetedSession::Outcome outcome = session_->carry_out(order);
    for (const ProcessRun& run : outcome.done) thinned_.confirm(run, order.of, order.period);
    if (outcome.refusal.empty()) continue;
    is_refused_ = is_refused_ || outcome.done.empty();
    if (!said_.insert(outcome.refusal).second) continue;
    const char* const then = !is_refused_   ? ""
                             : may_stretch_ ? "; only the interval of this tool is lengthened"
                                            : "; the overhead is only measured";
    say_(fmt::format("budget {}: cannot switch what {} record: {}{}", text_of_budget(budget_),
                     is_refused_ ? "the processes" : "some processes", outcome.refusal, then));
    if (is_refused_) return;
  }
}

void BudgetWatch::say_users_choices() {
  for (const EventClasses& of : thinned_.take_users_choices())
    say_(fmt::format("budget {}: {} was switched by hand, and is left as it is", text_of_budget(budget_),
                     describe(of)));
}

void BudgetWatch::restore() {
  if (is_refused_ || control_.has_given_up()) return;
  // The present settings first, because a user may have switched since the last look.
  (void)counts_of(session_->look());
  say_users_choices();
  carry_out({});
}

void BudgetWatch::say_sum() const { say_(text_of_sum(budget_, control_.sum(), steps_)); }

bool BudgetWatch::is_kept() const noexcept { return !control_.has_given_up(); }

}  // namespace eventspace
