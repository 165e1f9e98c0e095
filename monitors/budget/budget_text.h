#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/budget/budget_control.h"

namespace eventspace {

/// "recording 1 in 10 events of operation write (overhead at most 3.2%)". Pure.
std::string text_of(const BudgetStep& step);
/// The overhead over all looks, and whether the tool kept the budget: the last line about it. Pure.
std::string text_of_sum(double budget, const BudgetControl& control, std::size_t steps);
/// "process 12 keeps a budget of this session already, ..." `holder`: its pid; 0 if that is unknown. Pure.
std::string text_of_other_keeper(std::int32_t holder);
/// "`eventspace switch SESSION on` records everything again". Pure.
std::string text_of_restoring(std::string_view session);
/// "p1 and 3 other processes may still record less than before; ..." `names`: of processes, not empty. Pure.
std::string text_of_thinned(const std::vector<std::string>& names, std::string_view session);

}  // namespace eventspace
