#include "monitors/probing/groups/selection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "monitors/probing/groups/process_condition.h"
#include "paths/parameters/glob.h"

namespace eventspace {
namespace {

/// "solver" of "solver (4)".
std::string_view without_size(std::string_view communicator) {
  return communicator.substr(0, communicator.rfind(" ("));
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return glob_match(pattern, text); });
}

/// A choice with compiled conditions, including the conditions of its groups.
class Chosen {
 public:
  Chosen(const ProcessChoice& choice, const ProcessGroups& groups) : choice_(choice) {
    if (!choice.where.empty()) where_ = process_condition(choice.where);
    const auto add = [&groups](std::vector<Chosen>& parts, const std::vector<std::string>& names) {
      for (const std::string& name : names) parts.emplace_back(groups.find(name)->second, groups);
    };
    add(groups_, choice.groups);
    add(within_, choice.within);
    add(without_, choice.without);
  }

  [[nodiscard]] bool has(const ProcessFacts& process) const {
    const auto is_in = [&process](const Chosen& part) { return part.has(process); };
    return ((is_unlimited() && process.is_own) || is_named(process) || std::ranges::any_of(groups_, is_in)) &&
           (!where_ || holds(*where_, process)) && std::ranges::all_of(within_, is_in) &&
           std::ranges::none_of(without_, is_in);
  }

 private:
  [[nodiscard]] bool is_unlimited() const {
    return choice_.pids.empty() && choice_.names.empty() && choice_.jobs.empty() &&
           choice_.recorded.empty() && choice_.communicators.empty() && groups_.empty();
  }
  [[nodiscard]] bool is_named(const ProcessFacts& process) const {
    return std::ranges::find(choice_.pids, process.pid) != choice_.pids.end() ||
           matches_any(choice_.names, process.name) ||
           std::ranges::any_of(choice_.jobs,
                               [&](const std::string& job) { return process.is_of_job(job); }) ||
           std::ranges::any_of(
               process.recorded,
               [&](const std::string& name) { return matches_any(choice_.recorded, name); }) ||
           std::ranges::any_of(process.communicators, [&](const std::string& name) {
             return matches_any(choice_.communicators, name) ||
                    matches_any(choice_.communicators, without_size(name));
           });
  }

  const ProcessChoice& choice_;
  std::optional<WalkedCondition> where_;
  std::vector<Chosen> groups_;
  std::vector<Chosen> within_;
  std::vector<Chosen> without_;
};

}  // namespace

std::vector<const ProcessFacts*> selected(const ProcessChoice& choice, const ProcessGroups& groups,
                                          const std::vector<ProcessFacts>& processes) {
  const Chosen chosen(choice, groups);
  std::vector<const ProcessFacts*> found;
  for (const ProcessFacts& process : processes)
    if (chosen.has(process)) found.push_back(&process);
  return found;
}

}  // namespace eventspace
