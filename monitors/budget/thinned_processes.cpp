#include "monitors/budget/thinned_processes.h"

#include <algorithm>
#include <utility>

#include "collectors/switching/switch_order.h"

namespace eventspace {

// The program's own switch is above all others, and changes none of them.
std::uint32_t ThinnedProcesses::present(const Process& process, const EventClasses& of) {
  CollectState state = process.collecting;
  state.by_program = true;
  return period_in(state, of).value_or(CollectSwitch::everything);
}

void ThinnedProcesses::note_users_choices(Process& process) {
  for (auto& [of, setting] : process.settings) {
    if (setting.is_users || present(process, of) == setting.set) continue;
    setting.is_users = true;
    if (std::ranges::find(users_choices_, of) == users_choices_.end()) users_choices_.push_back(of);
  }
}

void ThinnedProcesses::note(std::vector<ProcessLoads>& loads) {
  std::map<std::uint32_t, Process> now;
  for (ProcessLoads& load : loads) {
    Process& process = now[load.run.process];
    if (const auto known = processes_.find(load.run.process);
        known != processes_.end() && known->second.run == load.run)
      process = std::move(known->second);
    process.run = load.run;
    process.collecting = load.collecting;
    note_users_choices(process);
    for (ClassLoad& of : load.classes) {
      const auto setting = process.settings.find(of.of);
      if (setting == process.settings.end()) continue;
      of.is_fixed = setting->second.is_users;
      if (!of.is_fixed) of.least_period = setting->second.found;
    }
  }
  processes_ = std::move(now);
}

std::vector<PeriodOrder> ThinnedProcesses::orders(const BudgetControl::Periods& wanted) const {
  std::vector<PeriodOrder> orders;
  const auto add = [&orders](const ProcessRun& run, const EventClasses& of, std::uint32_t period) {
    const auto same = std::ranges::find_if(
        orders, [&](const PeriodOrder& order) { return order.of == of && order.period == period; });
    PeriodOrder& order = same == orders.end() ? orders.emplace_back(PeriodOrder{of, period, {}}) : *same;
    order.runs.push_back(run);
  };
  for (const auto& [number, process] : processes_) {
    for (const auto& [of, period] : wanted) {
      const auto setting = process.settings.find(of);
      const std::uint32_t now = present(process, of);
      const std::uint32_t found = setting == process.settings.end() ? now : setting->second.found;
      if (setting != process.settings.end() && setting->second.is_users) continue;
      const bool is_off = period == CollectSwitch::off || found == CollectSwitch::off;
      const std::uint32_t wants = is_off ? CollectSwitch::off : std::max(period, found);
      if (wants != now) add(process.run, of, wants);
    }
    for (const auto& [of, setting] : process.settings)
      if (!wanted.contains(of) && !setting.is_users && setting.set != setting.found)
        add(process.run, of, setting.found);
  }
  return orders;
}

void ThinnedProcesses::confirm(const ProcessRun& run, const EventClasses& of, std::uint32_t period) {
  const auto known = processes_.find(run.process);
  if (known == processes_.end() || known->second.run != run) return;
  auto& settings = known->second.settings;
  const std::uint32_t found = present(known->second, of);
  Setting& setting = settings.try_emplace(of, Setting{found, found, false}).first->second;
  setting.set = period;
}

std::vector<EventClasses> ThinnedProcesses::take_users_choices() { return std::exchange(users_choices_, {}); }

}  // namespace eventspace
