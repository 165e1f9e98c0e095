#include "monitors/budget/budget_lines.h"

#include <fmt/format.h>

#include <utility>

#include "monitors/text/counted.h"
#include "monitors/text/plain_output.h"

namespace eventspace {

BudgetLines::~BudgetLines() { print(); }

std::function<void(const std::string& line)> BudgetLines::say() {
  return [this](const std::string& line) { take(line); };
}

void BudgetLines::take(const std::string& line) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(line);
  if (lines_.size() <= max_lines) return;
  lines_.pop_front();
  ++left_out_;
}

void BudgetLines::print() {
  const std::lock_guard lock(mutex_);
  if (const std::size_t lost = std::exchange(left_out_, 0); lost > 0)
    print_message(fmt::format("budget: {} left out here", counted(lost, "earlier line")));
  for (const std::string& line : lines_) print_message(line);
  lines_.clear();
}

}  // namespace eventspace
