#pragma once

#include <string>
#include <vector>

#include "monitors/budget/budget_control.h"

namespace eventspace {

/// "recording 1 in 10 events of operation write (overhead at most 3.2%)". Pure.
std::string text_of(const BudgetStep& step);
/// The overhead over all looks, and how the tool kept it: the last line about a budget. Pure.
std::string text_of_sum(double budget, const Overhead& sum, std::size_t steps);

}  // namespace eventspace
