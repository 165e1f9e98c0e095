#pragma once

#include <set>
#include <string>
#include <vector>

#include "monitors/probing/groups/group_answer.h"

namespace eventspace {

/// Remembers problems in the answers to an order that is repeated, so that users see each reason once, and
/// not in each phase. Not thread-safe.
class NewProblems {
 public:
  /// Lines for problems that were in no earlier answer: reasons of refusals, machines that have not answered,
  /// and the fact that something was left out.
  [[nodiscard]] std::vector<std::string> lines_of(const GroupAnswer& answer);
  /// Whether a process has refused, or a machine has not answered, in any of the answers.
  [[nodiscard]] bool were_any() const noexcept { return !reasons_.empty() || !silent_.empty(); }

 private:
  std::set<std::string> reasons_;
  std::set<std::string> silent_;
  bool was_left_out_{false};
};

}  // namespace eventspace
