#include "monitors/budget/budget_control.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace eventspace {
namespace {

constexpr std::array<std::uint32_t, 10> ladder{1, 2, 5, 10, 20, 50, 100, 200, 500, BudgetControl::max_period};
// Looks in which room that was not used may be used by a burst, and in which overhead is made up.
constexpr double credit_looks = 4;
constexpr double repay_looks = 10;
// A step within so many looks after an undoing shows that the undoing was too early.
constexpr unsigned too_early = 60;
// After so many looks without such a step, the next undoing may come sooner again.
constexpr unsigned calm = 300;

// A user's setting that was found is never replaced by one that records more.
std::uint32_t at_least(std::uint32_t period, const ClassLoad& load) noexcept {
  if (period == CollectSwitch::off || load.least_period == CollectSwitch::off) return CollectSwitch::off;
  return std::max(period, load.least_period);
}

}  // namespace

bool BudgetStep::is_tighter() const noexcept {
  if (what == What::give_up) return true;
  if (what == What::interval) return to > from;
  return from != CollectSwitch::off && (to == CollectSwitch::off || to > from);
}

double BudgetControl::Prediction::records(const RecordCosts& costs) const noexcept {
  return std::accumulate(loads.begin(), loads.end(), 0.0, [&costs](double sum, const Load& one) {
    return sum + cost_of(one.load, one.period, costs).high;
  });
}

BudgetControl::Prediction BudgetControl::Prediction::with(const EventClasses& of,
                                                          std::uint32_t period) const {
  Prediction other = *this;
  for (Load& one : other.loads)
    if (one.load.of == of && !one.load.is_fixed) one.period = at_least(period, one.load);
  return other;
}

BudgetControl::Prediction BudgetControl::predict(const LookCounts& counts) const {
  Prediction now{{}, is_idle_ ? 0 : static_cast<double>(counts.watching_cpu.count())};
  if (!settings_.may_switch) return now;
  for (const ClassLoad& load : counts.classes) {
    const auto thinned = periods_.find(load.of);
    const bool is_thinned = thinned != periods_.end() && !load.is_fixed;
    now.loads.push_back({load, is_thinned ? at_least(thinned->second, load) : load.period});
  }
  return now;
}

void BudgetControl::account(const LookCounts& counts) {
  last_ = overhead_of(counts, settings_.costs);
  is_idle_ = last_.of < idle_below * static_cast<double>(counts.elapsed.count());
  sum_.records += last_.records;
  sum_.watching += last_.watching;
  sum_.of += last_.of;
  const double room = settings_.budget * last_.of;
  counted_ += overhead();
  debt_ += overhead() - room;
  debt_ = std::max(debt_, -credit_looks * room);
}

// The part of the overhead at the last look that the tool can change.
double BudgetControl::overhead() const noexcept {
  return (settings_.may_switch ? last_.records.high : 0) + (is_idle_ ? 0 : last_.watching);
}

// The largest overhead that a look like the last one may have, in nanoseconds.
double BudgetControl::allowed() const noexcept {
  const double room = settings_.budget * last_.of;
  return std::clamp(room - std::max(debt_, 0.0) / repay_looks, least_allowed * room, room);
}

std::vector<BudgetStep> BudgetControl::look(const LookCounts& counts) {
  std::vector<BudgetStep> steps;
  account(counts);
  ++since_step_;
  if (since_undone_) ++*since_undone_;
  if (has_given_up_ || last_.of <= 0) return steps;
  Prediction now = predict(counts);
  if (debt_ > 0 && overhead() > allowed()) {
    tighten(now, steps);
  } else {
    over_without_step_ = 0;
    if (since_step_ > hold_) loosen(now, steps);
  }
  for (BudgetStep& step : steps) step.share = last_.share();
  return steps;
}

void BudgetControl::tighten(Prediction& now, std::vector<BudgetStep>& steps) {
  const double target = aim * allowed();
  if (settings_.may_stretch) stretch_more(now, target, steps);
  // Watching costs most when it begins, and that would take all records with it: they have half of the budget
  // unless watching stays expensive.
  const double part = over_without_step_ < 2 ? 0.5 : 0.05;
  if (settings_.may_switch) {
    thin(now, std::max(target - now.watching, part * target), steps);
    // Past overhead alone does not switch classes off.
    const double now_allowed = aim * settings_.budget * last_.of;
    switch_off(now, std::max(now_allowed - now.watching, part * now_allowed), steps);
  }
  if (steps.empty()) {
    be_at_the_end(now, steps);
  } else {
    over_without_step_ = 0;
    note_tightened();
  }
}

void BudgetControl::note_tightened() {
  since_step_ = 0;
  if (since_undone_ && *since_undone_ <= too_early) hold_ = std::min(2 * hold_, max_hold);
  since_undone_.reset();
}

void BudgetControl::stretch_more(Prediction& now, double target, std::vector<BudgetStep>& steps) {
  const std::uint32_t from = stretch_;
  while (stretch_ < max_stretch && now.watching > target / 4 && now.total(settings_.costs) > target) {
    stretch_ *= 2;
    now.watching /= 2;
  }
  if (stretch_ != from) steps.push_back({BudgetStep::What::interval, {}, from, stretch_});
}

// The least longer period with which all records stay within the target; else the longest.
std::uint32_t BudgetControl::period_within(const Prediction& now, const Load& of, double target) const {
  for (const std::uint32_t period : ladder)
    if (period > of.period && now.with(of.load.of, period).records(settings_.costs) <= target) return period;
  return max_period;
}

void BudgetControl::set(Prediction& now, const Load& of, std::uint32_t period,
                        std::vector<BudgetStep>& steps) {
  const EventClasses classes = of.load.of;
  steps.push_back({BudgetStep::What::period, classes, of.period, period});
  if (!periods_.contains(classes)) order_.push_back(classes);
  periods_[classes] = period;
  now = now.with(classes, period);
}

void BudgetControl::thin(Prediction& now, double target, std::vector<BudgetStep>& steps) {
  const auto may_be_thinned = [](const Load& one) {
    return !one.load.is_fixed && one.period != CollectSwitch::off && one.period < max_period &&
           one.load.events > 0;
  };
  const auto records = [&](const Load& one) {
    return may_be_thinned(one) ? one.load.events / one.period : 0;
  };
  while (now.records(settings_.costs) > target) {
    const auto most = std::ranges::max_element(now.loads, {}, records);
    if (most == now.loads.end() || !may_be_thinned(*most)) return;
    set(now, *most, period_within(now, *most, target), steps);
  }
}

void BudgetControl::switch_off(Prediction& now, double target, std::vector<BudgetStep>& steps) {
  const auto may_be_off = [](const Load& one) {
    return !one.load.is_fixed && one.period != CollectSwitch::off && one.load.events > 0;
  };
  while (now.records(settings_.costs) > target) {
    const auto most = std::ranges::max_element(
        now.loads, {}, [&](const Load& one) { return may_be_off(one) ? one.load.events : 0; });
    if (most == now.loads.end() || !may_be_off(*most)) return;
    set(now, *most, CollectSwitch::off, steps);
  }
}

void BudgetControl::be_at_the_end(Prediction& now, std::vector<BudgetStep>& steps) {
  // Overhead of the past alone is made up with time.
  if (now.total(settings_.costs) <= settings_.budget * last_.of) return;
  if (++over_without_step_ < patience) return;
  if (settings_.may_switch) switch_off(now, -1, steps);
  has_given_up_ = true;
  steps.push_back(
      {.what = BudgetStep::What::give_up, .from = 0, .to = 0, .may_switch = settings_.may_switch});
}

void BudgetControl::loosen(const Prediction& now, std::vector<BudgetStep>& steps) {
  const double target = undo_below * std::min(allowed(), settings_.budget * last_.of);
  const bool is_loosened = loosen_class(now, target, steps) || loosen_interval(now, target, steps);
  if (is_loosened) {
    since_step_ = 0;
    since_undone_ = 0;
  } else if (since_undone_ && *since_undone_ > calm) {
    hold_ = std::max(hold_ / 2, first_hold);
    since_undone_ = 0;
  }
}

// The least period below `from` with which everything stays within the target; `from` if there is none.
std::uint32_t BudgetControl::looser_period(const Prediction& now, const EventClasses& of, std::uint32_t from,
                                           double target) const {
  std::uint32_t found = from;
  for (auto period = ladder.rbegin(); period != ladder.rend(); ++period) {
    if (from != CollectSwitch::off && *period >= from) continue;
    if (now.with(of, *period).total(settings_.costs) > target) break;
    found = *period;
    if (from == CollectSwitch::off) break;  // how many events there are is known when some are recorded
  }
  return found;
}

// The least setting that was found in a process and that this tool may restore; `off` if there is none. Where
// no process has such events any more, there is nothing that limits it.
std::uint32_t BudgetControl::least_found(const Prediction& now, const EventClasses& of) noexcept {
  bool is_gone = true;
  std::uint32_t least = CollectSwitch::off;
  for (const Load& one : now.loads) {
    if (one.load.of != of) continue;
    is_gone = false;
    const std::uint32_t found = one.load.least_period;
    if (one.load.is_fixed || found == CollectSwitch::off) continue;
    least = least == CollectSwitch::off ? found : std::min(least, found);
  }
  return is_gone ? CollectSwitch::everything : least;
}

void BudgetControl::forget_last_thinned() {
  periods_.erase(order_.back());
  order_.pop_back();
}

bool BudgetControl::loosen_class(const Prediction& now, double target, std::vector<BudgetStep>& steps) {
  while (!order_.empty()) {
    const EventClasses last = order_.back();
    const std::uint32_t from = periods_.at(last);
    const std::uint32_t least = least_found(now, last);
    // No process is thinned any more: a user has switched the class everywhere, or the others have ended.
    if (least == CollectSwitch::off || (from != CollectSwitch::off && from <= least)) {
      forget_last_thinned();
      continue;
    }
    const std::uint32_t looser = looser_period(now, last, from, target);
    if (looser == from) return false;
    const std::uint32_t to = std::max(looser, least);
    steps.push_back({BudgetStep::What::period, last, from, to});
    periods_[last] = to;
    if (to == least) forget_last_thinned();
    return true;
  }
  return false;
}

bool BudgetControl::loosen_interval(const Prediction& now, double target, std::vector<BudgetStep>& steps) {
  if (stretch_ == 1 || now.total(settings_.costs) + now.watching > target) return false;
  steps.push_back({BudgetStep::What::interval, {}, stretch_, stretch_ / 2});
  stretch_ /= 2;
  return true;
}

void BudgetControl::let_switch(bool may_switch) noexcept {
  settings_.may_switch = may_switch;
  if (may_switch) return;
  periods_.clear();
  order_.clear();
}

}  // namespace eventspace
