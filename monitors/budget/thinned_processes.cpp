#include "monitors/budget/thinned_processes.h"

#include <algorithm>
#include <utility>

#include "collectors/switching/switch_order.h"

namespace eventspace {
namespace {

constexpr unsigned max_unseen_looks = 600;  // looks, after which a process is forgotten

void add_run(std::vector<PeriodOrder>& orders, const ProcessRun& run, const EventClasses& of,
             std::uint32_t period) {
  const auto same = std::ranges::find_if(
      orders, [&](const PeriodOrder& order) { return order.of == of && order.period == period; });
  PeriodOrder& order = same == orders.end() ? orders.emplace_back(PeriodOrder{of, period, {}}) : *same;
  order.runs.push_back(run);
}

}  // namespace

// The program's own switch is above all others, and changes none of them.
std::uint32_t ThinnedProcesses::present(const Process& process, const EventClasses& of) {
  CollectState state = process.collecting;
  state.by_program = true;
  return period_in(state, of).value_or(CollectSwitch::everything);
}

ThinnedProcesses::Process* ThinnedProcesses::find(const ProcessRun& run) noexcept {
  const auto known = processes_.find(run.process);
  return known != processes_.end() && known->second.run == run ? &known->second : nullptr;
}

void ThinnedProcesses::note_settings(Process& process) {
  for (auto& [of, setting] : process.settings) {
    const std::uint32_t now = present(process, of);
    if (now == setting.asked) setting.set = now;
    if (setting.is_users || now == setting.set) continue;
    setting.is_users = true;
    if (std::ranges::find(users_choices_, of) == users_choices_.end()) users_choices_.push_back(of);
  }
}

void ThinnedProcesses::mark(const Process& process, std::vector<ClassLoad>& loads) {
  for (ClassLoad& load : loads) {
    const auto setting = process.settings.find(load.of);
    load.is_fixed = process.is_refused || (setting != process.settings.end() && setting->second.is_users);
    if (setting != process.settings.end() && !load.is_fixed) load.least_period = setting->second.found;
  }
}

void ThinnedProcesses::note(std::vector<ProcessLoads>& loads, bool is_whole) {
  for (auto& [number, process] : processes_) ++process.unseen;
  for (ProcessLoads& load : loads) {
    Process& process = processes_[load.run.process];
    if (process.run != load.run) process = {};
    process.run = load.run;
    process.collecting = load.collecting;
    process.unseen = 0;
    note_settings(process);
    mark(process, load.classes);
  }
  std::erase_if(processes_, [is_whole](const auto& known) {
    const Process& process = known.second;
    return process.unseen > 0 && (is_whole || process.settings.empty() || process.unseen > max_unseen_looks);
  });
}

void ThinnedProcesses::forget(const ProcessRun& run) {
  if (find(run) != nullptr) processes_.erase(run.process);
}

void ThinnedProcesses::add_restoring(const Process& process, const BudgetControl::Periods& wanted,
                                     std::vector<PeriodOrder>& orders) {
  for (const auto& [of, setting] : process.settings)
    if (!wanted.contains(of) && setting.is_thinned()) add_run(orders, process.run, of, setting.found);
}

void ThinnedProcesses::add_orders(const Process& process, const BudgetControl::Periods& wanted,
                                  std::vector<PeriodOrder>& orders) {
  for (const auto& [of, period] : wanted) {
    const auto setting = process.settings.find(of);
    const std::uint32_t now = present(process, of);
    const std::uint32_t found = setting == process.settings.end() ? now : setting->second.found;
    if (setting != process.settings.end() && setting->second.is_users) continue;
    const bool is_off = period == CollectSwitch::off || found == CollectSwitch::off;
    const std::uint32_t wants = is_off ? CollectSwitch::off : std::max(period, found);
    if (wants != now) add_run(orders, process.run, of, wants);
  }
  add_restoring(process, wanted, orders);
}

std::vector<PeriodOrder> ThinnedProcesses::orders(const BudgetControl::Periods& wanted) const {
  std::vector<PeriodOrder> orders;
  for (const auto& [number, process] : processes_)
    if (process.unseen == 0 && !process.is_refused) add_orders(process, wanted, orders);
  return orders;
}

std::vector<PeriodOrder> ThinnedProcesses::restoring_orders() const {
  std::vector<PeriodOrder> orders;
  for (const auto& [number, process] : processes_)
    if (process.unseen == 0) add_restoring(process, {}, orders);
  return orders;
}

void ThinnedProcesses::ask(const PeriodOrder& order) {
  for (const ProcessRun& run : order.runs) {
    Process* const process = find(run);
    if (process == nullptr) continue;
    const std::uint32_t found = present(*process, order.of);
    Setting& setting =
        process->settings.try_emplace(order.of, Setting{found, found, found, false}).first->second;
    setting.asked = order.period;
  }
}

void ThinnedProcesses::confirm(const ProcessRun& run, const EventClasses& of, std::uint32_t period) {
  Process* const process = find(run);
  if (process == nullptr) return;
  const std::uint32_t found = present(*process, of);
  Setting& setting = process->settings.try_emplace(of, Setting{found, found, found, false}).first->second;
  setting.set = setting.asked = period;
}

void ThinnedProcesses::refuse(const ProcessRun& run) {
  Process* const process = find(run);
  if (process == nullptr) return;
  process->is_refused = true;
  for (auto& [of, setting] : process->settings) setting.asked = setting.set;
}

std::vector<ProcessRun> ThinnedProcesses::thinned() const {
  std::vector<ProcessRun> runs;
  for (const auto& [number, process] : processes_)
    if (std::ranges::any_of(process.settings, [](const auto& one) { return one.second.is_thinned(); }))
      runs.push_back(process.run);
  return runs;
}

std::vector<EventClasses> ThinnedProcesses::take_users_choices() { return std::exchange(users_choices_, {}); }

}  // namespace eventspace
