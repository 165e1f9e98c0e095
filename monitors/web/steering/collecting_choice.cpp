#include "monitors/web/steering/collecting_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <eventspace/error.h>
#include "collectors/kinds/event_kinds.h"
#include "monitors/text/name_ranges.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/parameters/glob.h"
#include "paths/parameters/globs_of_names.h"
#include "paths/parameters/nearest.h"

namespace eventspace::web {
namespace {

constexpr std::size_t max_names = 64;  // of processes or paths in a text

std::vector<EventClasses> events_of(const Plan& plan, const PathPlan& path) {
  if (plan.elements[path.element].joint()) return events_named("operation", "exchange");
  if (path.use == PathUse::write) return events_named("operation", "write");
  if (path.use == PathUse::any) return events_named("operation", "");
  auto events = events_named("operation", "read");
  const auto takes = events_named("operation", "take");
  events.insert(events.end(), takes.begin(), takes.end());
  return events;
}

bool is_switched_by(const EventClasses& event, const EventClasses& order) {
  return event.kind == order.kind &&
         (event.event_class == order.event_class || order.event_class == EventClasses::all_classes ||
          event.event_class == EventClasses::all_classes);
}

bool overlap(const std::vector<EventClasses>& a, const std::vector<EventClasses>& b) {
  return std::ranges::any_of(a, [&](const EventClasses& one) {
    return std::ranges::any_of(b, [&](const EventClasses& other) { return is_switched_by(one, other); });
  });
}

/// The events of all paths with one name, and the processes that record them.
struct RecordedPath {
  std::vector<EventClasses> events;
  std::set<std::uint32_t> processes;
};
using RecordedPaths = std::map<std::string_view, RecordedPath>;

// `thread`: only of this thread; empty: of all.
RecordedPaths recorded_paths(const Plan& plan, std::string_view thread = {}) {
  RecordedPaths all;
  for (const PathIndex index : plan.paths.indices()) {
    const PathPlan& path = plan.paths[index];
    const ThreadPlan& user = plan.threads[path.thread];
    if (!user.is_thread() || path.traces.empty()) continue;
    if (!thread.empty() && user.name != thread) continue;
    RecordedPath& recorded = all[path.name];
    for (const EventClasses& event : events_of(plan, path))
      if (std::ranges::find(recorded.events, event) == recorded.events.end())
        recorded.events.push_back(event);
    for (const TraceIndex trace : path.traces)
      recorded.processes.insert(number_of_process(plan, plan.traces[trace].host));
  }
  return all;
}

bool are_switched_together(const RecordedPath& a, const RecordedPath& b) {
  return overlap(a.events, b.events) && std::ranges::any_of(b.processes, [&](std::uint32_t process) {
           return a.processes.contains(process);
         });
}

std::string name_of(const Plan& plan, std::uint32_t process) {
  const auto host = host_of_number(plan, process);
  if (!host) return "?";
  const auto* const planned = std::get_if<ProcessIndex>(&*host);
  return planned != nullptr ? plan.processes[*planned].name
                            : name_of_node_server(plan, std::get<NodeIndex>(*host));
}

std::string words_of(const std::vector<EventClasses>& events) {
  std::string words;
  for (const EventClasses& event : events)
    words += (words.empty() ? "" : ", ") + (event == EventClasses() ? "everything" : describe(event));
  return words;
}

CollectingChoice choice_in(const Plan& plan, const std::set<std::uint32_t>& processes,
                           const std::vector<EventClasses>& events, std::uint32_t period) {
  std::vector<std::string> names;
  names.reserve(processes.size());
  for (const std::uint32_t process : processes) names.push_back(name_of(plan, process));
  const auto globs = globs_of_names(names);
  if (globs.size() > max_orders)
    throw ConfigurationError(fmt::format(
        "{} processes record it, which is too many for one order; choose a class of events, or processes",
        names.size()));
  CollectingChoice choice;
  for (const std::string& glob : globs) choice.orders.push_back({glob, events, period});
  choice.words = fmt::format("{} of {} {}", words_of(events), names.size() == 1 ? "process" : "processes",
                             collapse_numbered(names));
  return choice;
}

[[noreturn]] void refuse_name(std::string_view what, const std::string& name,
                              const std::vector<std::string_view>& known) {
  throw ConfigurationError(fmt::format("unknown {} '{}'{}", what, name, hint(name, known)));
}

void check_thread(const Plan& plan, const std::string& name) {
  std::vector<std::string_view> known;
  for (const ThreadPlan& thread : plan.threads)
    if (thread.is_thread()) known.push_back(thread.name);
  if (std::ranges::find(known, name) == known.end()) refuse_name("thread", name, known);
}

CollectingChoice choice_of_path(const CollectingWish& wish, const Plan& plan) {
  if (!wish.kind.empty() || !wish.event_class.empty())
    throw ConfigurationError("a path has its own class of events: leave out \"kind\" and \"class\"");
  const RecordedPaths paths = recorded_paths(plan, wish.thread);
  const auto found = paths.find(wish.path);
  if (found == paths.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, path] : paths) known.push_back(name);
    refuse_name(wish.thread.empty() ? "recorded path" : "recorded path of thread " + wish.thread, wish.path,
                known);
  }
  return choice_in(plan, found->second.processes, found->second.events, period_of(wish.setting));
}

CollectingChoice choice_of_thread(const CollectingWish& wish, const Plan& plan) {
  const auto number = process_of_thread(plan, plan.find_thread(wish.thread).value().number32());
  return choice_in(plan, {number.value()}, events_named(wish.kind, wish.event_class),
                   period_of(wish.setting));
}

// The setting in all processes that run and record the path; nullopt if none runs.
std::optional<std::string> setting_in(const SwitchablePath& path, const ProcessReports& reports) {
  std::optional<std::string> setting;
  for (const std::uint32_t process : path.processes) {
    const auto report = reports.find(process);
    if (report == reports.end() || !may_live(report->second.state)) continue;
    std::string here = setting_of(report->second.collecting, path.events);
    if (setting && *setting != here) return "mixed";
    setting = std::move(here);
  }
  return setting;
}

template <class Names>
Json list_of(const Names& names) {
  Json list = Json::array();
  for (const auto& name : names) list.add(Json(std::string_view(name)));
  return list;
}

}  // namespace

CollectingChoice choice_of(const CollectingWish& wish, const Plan& plan) {
  const bool is_by_name = !wish.path.empty() || !wish.thread.empty();
  if (is_by_name && !plan.has_pathmap)
    throw ConfigurationError(
        "a session without a pathmap is switched by \"process\", \"kind\" and \"class\"");
  if (is_by_name && !(wish.process.empty() && wish.node.empty()))
    throw ConfigurationError(
        "\"path\" and \"thread\" give the processes: leave out \"process\" and \"node\"");
  if (!wish.thread.empty()) check_thread(plan, wish.thread);
  if (!wish.path.empty()) return choice_of_path(wish, plan);
  if (!wish.thread.empty()) return choice_of_thread(wish, plan);
  SwitchOrder order{.processes = wish.process.empty() ? "**" : wish.process,
                    .events = events_named(wish.kind, wish.event_class),
                    .period = period_of(wish.setting)};
  if (const auto fault = glob_fault(order.processes); !fault.empty())
    throw ConfigurationError(fmt::format("\"process\": the pattern '{}' {}", order.processes, fault));
  if (const auto fault = glob_fault(wish.node); !wish.node.empty() && !fault.empty())
    throw ConfigurationError(fmt::format("\"node\": the pattern '{}' {}", wish.node, fault));
  if (!wish.node.empty() && !plan.has_pathmap)
    throw ConfigurationError("a session without a pathmap has no nodes: leave out \"node\"");
  std::string words = words_of(order.events);
  words += wish.process.empty() ? " of all processes" : " of processes " + wish.process;
  if (!wish.node.empty()) words += " on nodes " + wish.node;
  return {{std::move(order)}, wish.node.empty() ? "**" : wish.node, std::move(words)};
}

std::vector<SwitchablePath> switchable_paths(const Plan& plan) {
  const RecordedPaths recorded = recorded_paths(plan);
  std::vector<SwitchablePath> paths;
  for (const auto& [name, path] : recorded) {
    if (paths.size() == max_paths) break;
    SwitchablePath& made = paths.emplace_back();
    made.name = name;
    made.events = path.events;
    made.processes.assign(path.processes.begin(), path.processes.end());
    for (const auto& [other, others] : recorded)
      if (other != name && made.also.size() < max_names && are_switched_together(path, others))
        made.also.emplace_back(other);
  }
  return paths;
}

std::string setting_of(const CollectState& state, const std::vector<EventClasses>& events) {
  std::optional<std::uint32_t> setting;
  for (const EventClasses& event : events) {
    const auto period = period_in(state, event);
    if (!period || (setting && *setting != *period)) return "mixed";
    setting = period;
  }
  return setting ? text_of_period(*setting) : "mixed";
}

Json collecting_json(const ProcessReports& reports, const PlanNames& names) {
  std::map<std::string, std::vector<std::string>> by_state;
  for (const auto& [number, report] : reports)
    if (may_live(report.state))
      by_state[describe(report.collecting)].emplace_back(names.process_name(number));
  Json groups = Json::array();
  for (auto& [state, processes] : by_state) {
    const std::size_t count = processes.size();
    std::string text = collapse_numbered(processes);
    if (processes.size() > max_names) processes.resize(max_names);
    groups.add(Json::object(
        {{"state", state}, {"count", count}, {"processes", text}, {"names", list_of(processes)}}));
  }
  return groups;
}

Json paths_json(const std::vector<SwitchablePath>& paths, const ProcessReports& reports,
                const PlanNames& names) {
  Json all = Json::array();
  for (const SwitchablePath& path : paths) {
    std::vector<std::string> processes;
    for (const std::uint32_t process : path.processes) processes.emplace_back(names.process_name(process));
    all.add(Json::object({{"name", path.name},
                          {"events", words_of(path.events)},
                          {"setting", Json(setting_in(path, reports))},
                          {"processes", collapse_numbered(processes)},
                          {"also", list_of(path.also)}}));
  }
  return all;
}

Json kinds_json() {
  Json kinds = Json::array();
  for (const EventKind* const kind : EventKinds::instance().kinds())
    kinds.add(Json::object({{"kind", kind->name}, {"classes", list_of(classes_of_kind(kind->name))}}));
  return kinds;
}

}  // namespace eventspace::web
