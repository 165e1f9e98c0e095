#include <algorithm>
#include <map>
#include <utility>

#include <eventspace/probing.h>
#include "monitors/probing/groups/chosen_processes.h"
#include "monitors/probing/groups/named_groups.h"

namespace eventspace::probing {

/// A choice, or a combination of two groups.
struct Group::Meaning {
  enum class Kind : std::uint8_t { choice, both, either, first_only };
  using Members = std::map<std::int32_t, Process>;

  Kind kind{Kind::choice};
  ProcessChoice choice{};
  std::shared_ptr<const Meaning> first{};
  std::shared_ptr<const Meaning> second{};

  [[nodiscard]] Members members() const {
    if (kind == Kind::choice) return chosen();
    Members members = first->members();
    Members others = second->members();
    if (kind == Kind::either)
      members.merge(others);
    else
      std::erase_if(members, [&](const auto& member) {
        return others.contains(member.first) == (kind == Kind::first_only);
      });
    return members;
  }

 private:
  [[nodiscard]] Members chosen() const {
    const ProcessGroups groups = choice.groups.empty() ? ProcessGroups() : NamedGroups::all();
    Members members;
    for (ProcessFacts& process : members_here(choice, groups))
      members[process.pid] = {process.pid, std::move(process.name), process.rank};
    // For a process that has ended, later operations report that as a refusal.
    for (const std::int32_t pid : choice.pids) members.try_emplace(pid, Process{pid, {}, {}});
    return members;
  }
};

namespace {

ProcessChoice choice_of(std::vector<std::string> ProcessChoice::*part, std::string value) {
  ProcessChoice choice;
  (choice.*part).push_back(std::move(value));
  return choice;
}

}  // namespace

Group Group::of_pids(std::vector<std::int32_t> pids) {
  ProcessChoice choice;
  choice.pids = std::move(pids);
  return Group(std::make_shared<const Meaning>(Meaning{.choice = std::move(choice)}));
}

Group Group::of_name(std::string pattern) {
  return Group(std::make_shared<const Meaning>(
      Meaning{.choice = choice_of(&ProcessChoice::names, std::move(pattern))}));
}

Group Group::of_job(std::string id) {
  return Group(
      std::make_shared<const Meaning>(Meaning{.choice = choice_of(&ProcessChoice::jobs, std::move(id))}));
}

Group Group::named(std::string name) {
  return Group(
      std::make_shared<const Meaning>(Meaning{.choice = choice_of(&ProcessChoice::groups, std::move(name))}));
}

Group Group::where(std::string condition) {
  ProcessChoice choice;
  choice.where = std::move(condition);
  return Group(std::make_shared<const Meaning>(Meaning{.choice = std::move(choice)}));
}

Group Group::united_with(const Group& other) const {
  return Group(std::make_shared<const Meaning>(
      Meaning{.kind = Meaning::Kind::either, .first = meaning_, .second = other.meaning_}));
}

Group Group::intersected_with(const Group& other) const {
  return Group(std::make_shared<const Meaning>(
      Meaning{.kind = Meaning::Kind::both, .first = meaning_, .second = other.meaning_}));
}

Group Group::without(const Group& other) const {
  return Group(std::make_shared<const Meaning>(
      Meaning{.kind = Meaning::Kind::first_only, .first = meaning_, .second = other.meaning_}));
}

std::vector<Process> Group::processes() const {
  std::vector<Process> processes;
  for (auto& [pid, process] : meaning_->members()) processes.push_back(std::move(process));
  return processes;
}

}  // namespace eventspace::probing
