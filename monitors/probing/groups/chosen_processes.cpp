#include "monitors/probing/groups/chosen_processes.h"

#include <fmt/format.h>

#include <algorithm>

#include <eventspace/error.h>
#include "monitors/probing/groups/named_groups.h"
#include "monitors/probing/groups/process_condition.h"
#include "monitors/probing/groups/selection.h"
#include "paths/parameters/glob.h"
#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

void require_names(const ProcessChoice& choice, const std::vector<ProcessFacts>& processes) {
  for (const std::string& pattern : choice.names) {
    const auto matches = [&](const ProcessFacts& process) { return glob_match(pattern, process.name); };
    if (std::ranges::none_of(processes, matches))
      throw EnvironmentError(fmt::format("no process on this machine runs a program named '{}'", pattern));
  }
}

std::string text_for_people(const ProcessChoice& choice) {
  std::string text = to_text(choice);
  for (std::size_t at = 0; (at = text.find('\t', at)) != std::string::npos;) text.replace(at, 1, ", ");
  return escaped(text);
}

std::vector<ProcessFacts> copies_of(const std::vector<const ProcessFacts*>& chosen) {
  std::vector<ProcessFacts> copies;
  copies.reserve(chosen.size());
  for (const ProcessFacts* const process : chosen) copies.push_back(*process);
  return copies;
}

bool needs_recorded(const ProcessChoice& choice) {
  return !choice.communicators.empty() || !choice.recorded.empty() ||
         (!choice.where.empty() && needs_recorded(process_condition(choice.where)));
}

}  // namespace

std::vector<ProcessFacts> facts_for(const ProcessChoice& choice, const ProcessGroups& groups) {
  std::vector<ProcessFacts> processes = facts_here();
  std::vector<std::string> jobs = choice.jobs;
  bool is_recording_asked = needs_recorded(choice);
  for (const auto& [name, group] : groups_needed(choice, groups)) {
    jobs.insert(jobs.end(), group.jobs.begin(), group.jobs.end());
    is_recording_asked = is_recording_asked || needs_recorded(group);
  }
  add_launched(processes, jobs);
  if (is_recording_asked) add_recorded(processes);
  return processes;
}

std::vector<ProcessFacts> members_here(const ProcessChoice& choice, const ProcessGroups& groups) {
  check_choice(choice);
  check_groups(choice, groups);
  return copies_of(selected(choice, groups, facts_for(choice, groups)));
}

std::vector<std::int32_t> chosen_processes(const ProcessChoice& choice) {
  check_choice(choice);
  std::vector<std::int32_t> pids;
  const auto add = [&pids](std::int32_t pid) {
    if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
  };
  // A process with one of the pids may have ended: the work on it reports that.
  if (choice.has_pids_only()) {
    std::ranges::for_each(choice.pids, add);
    return pids;
  }
  const ProcessGroups groups = choice.named_groups().empty() ? ProcessGroups() : NamedGroups::all();
  check_groups(choice, groups);
  const std::vector<ProcessFacts> processes = facts_for(choice, groups);
  require_names(choice, processes);
  const auto chosen = selected(choice, groups, processes);
  const auto is_chosen = [&](std::int32_t pid) {
    return std::ranges::find(chosen, pid, &ProcessFacts::pid) != chosen.end();
  };
  for (const std::int32_t pid : choice.pids)
    if (is_chosen(pid)) add(pid);
  for (const ProcessFacts* const process : chosen) add(process->pid);
  if (pids.empty())
    throw EnvironmentError(fmt::format("no process on this machine matches {}", text_for_people(choice)));
  return pids;
}

}  // namespace eventspace
