#include "monitors/budget/budget_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "collectors/switching/switch_order.h"
#include "monitors/budget/budget_text.h"
#include "monitors/watching/budget_option.h"

namespace eventspace {
namespace {

// Orders without an answer, after which this tool is taken for one that may not switch.
constexpr unsigned max_unanswered = 3;
constexpr std::size_t max_said = 100;

// Whether a process that runs may lack a report.
bool is_partial(const View& view) {
  return std::ranges::any_of(view.missing, [](const Missing& missing) {
    return missing.cause != MissingCause::no_segment && missing.cause != MissingCause::restarted;
  });
}

}  // namespace

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
  for (const ProcessReport& report : view.processes)
    if (!may_live(report.state)) thinned_.forget({report.process, report.pid, report.start_ticks});
  thinned_.note(look.processes, !is_partial(view));
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
  for (const BudgetStep& step : steps) say(text_of(step));
  steps_ += steps.size();
  // Also without a new step: a process that has begun since records everything.
  if (may_switch && !is_refused_) carry_out(thinned_.orders(control_.periods()));
}

void BudgetWatch::carry_out(const std::vector<PeriodOrder>& orders) {
  for (const PeriodOrder& order : orders) {
    thinned_.ask(order);
    const BudgetedSession::Outcome outcome = session_->carry_out(order);
    for (const ProcessRun& run : outcome.done) thinned_.confirm(run, order.of, order.period);
    for (const ProcessRun& run : outcome.refused) thinned_.refuse(run);
    has_switched_ = has_switched_ || !outcome.done.empty();
    if (!outcome.refusal.empty()) note_refusal(outcome);
    if (is_refused_) return;
  }
}

// A server that is late once does not make this tool an observer, nor does one process among others.
void BudgetWatch::note_refusal(const BudgetedSession::Outcome& outcome) {
  is_refused_ = !has_switched_ && (!outcome.refused.empty() || ++unanswered_ >= max_unanswered);
  const char* const then = !is_refused_   ? ""
                           : may_stretch_ ? "; only the interval of this tool is lengthened"
                                          : "; the overhead is only measured";
  const std::string text =
      fmt::format("cannot switch what {} record: {}{}", is_refused_ ? "the processes" : "some processes",
                  outcome.refusal, then);
  if (said_.size() < max_said && said_.insert(text).second) say(text);
}

void BudgetWatch::say(const std::string& text) const {
  say_(fmt::format("budget {}: {}", text_of_budget(budget_), text));
}

void BudgetWatch::say_users_choices() {
  for (const EventClasses& of : thinned_.take_users_choices())
    say(fmt::format("{} was switched by hand, and is left as it is", describe(of)));
}

void BudgetWatch::restore() {
  if (control_.has_given_up()) return;
  look_before_restoring();
  say_users_choices();
  carry_out(thinned_.restoring_orders());
  say_still_thinned();
}

// The present settings, because a user may have switched since the last look. A late server gets another
// look.
void BudgetWatch::look_before_restoring() {
  try {
    bool is_seen = false;
    for (int look = 0; look < 2 && !is_seen; ++look) {
      const View view = session_->look();
      (void)counts_of(view);
      is_seen = !is_partial(view);
    }
  } catch (const std::exception& error) {
    say(fmt::format("restoring what was known at the last look, because another one failed: {}",
                    error.what()));
  }
}

void BudgetWatch::say_still_thinned() const {
  std::vector<std::string> names;
  for (const ProcessRun& run : thinned_.thinned())
    names.emplace_back(session_->names().process_name(run.process));
  if (!names.empty()) say(text_of_thinned(names, session_->name()));
}

void BudgetWatch::say_sum() const { say_(text_of_sum(budget_, control_, steps_)); }

bool BudgetWatch::is_kept() const noexcept { return !control_.has_given_up(); }

}  // namespace eventspace
