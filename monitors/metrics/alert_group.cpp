#include "monitors/metrics/alert_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/groups/named_groups.h"
#include "monitors/text/counted.h"

namespace eventspace {
namespace {

/// A pattern that matches the text, and hardly any other.
std::string pattern_of(std::string text) {
  constexpr std::string_view special = "*?[{";
  std::ranges::replace_if(
      text, [&](char c) { return special.find(c) != std::string_view::npos; }, '?');
  return text;
}

constexpr std::string_view nobody = "false";

/// Whether the choice may have been made by an AlertGroup.
bool is_of_alerts(const ProcessChoice& choice) {
  ProcessChoice made;
  made.recorded = choice.recorded;
  if (made.recorded.empty()) made.where = nobody;
  return choice == made;
}

}  // namespace

AlertGroup::AlertGroup(std::string name, std::string session)
    : name_(std::move(name)), session_(std::move(session)) {
  const ProcessGroups known = NamedGroups::all();
  if (const auto found = known.find(name_); found != known.end() && !is_of_alerts(found->second))
    throw ConfigurationError(
        fmt::format("--alert-group: the group '{0}' exists and was not made by --alert-group; choose another "
                    "name, or remove the group with `eventspace group {0} --remove`",
                    name_));
  store();
}

void AlertGroup::set(const std::set<std::string>& processes) {
  std::set<std::string> kept = processes;
  while (kept.size() > max_processes) kept.erase(std::prev(kept.end()));
  left_out_ = std::max(left_out_, processes.size() - kept.size());
  if (kept == processes_) return;
  processes_ = std::move(kept);
  store();
}

void AlertGroup::store() const {
  ProcessChoice choice;
  for (const std::string& process : processes_)
    choice.recorded.push_back(pattern_of(session_) + '/' + pattern_of(process));
  if (choice.recorded.empty()) choice.where = nobody;
  NamedGroups::store(name_, choice);
}

std::string AlertGroup::text() const {
  std::string text = fmt::format("the group '{}' has {}", name_, counted(processes_.size(), "process"));
  if (left_out_ > 0)
    text += fmt::format("; up to {} were left out, because it can have at most {}", left_out_, max_processes);
  return text;
}

std::size_t place_of_process(const metrics::Definition& definition) {
  std::size_t place = 0;
  for (std::uint32_t i = 0; i < definition.parameters.size(); ++i) {
    if (i == definition.time || !definition.given.contains(i)) continue;
    if (definition.parameters[i].type.base == metrics::Base::process) return place;
    ++place;
  }
  throw ConfigurationError(fmt::format("--alert-group: the metric {} has no value for each process{}",
                                       definition.name,
                                       place == 0 ? ", but one for all of them; try --each objects" : ""));
}

}  // namespace eventspace
