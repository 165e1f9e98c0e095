#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/text/json.h"
#include "monitors/web/steering/steering_order.h"
#include "pathmaps/plan/plan.h"
#include "paths/views/view.h"
#include "scopes/tree/plan_names.h"

/// The choices that an owner's page can switch, and their settings. Processes are switched by kind and class
/// of event, so a path is switched by the class of its operations in the processes that record it, together
/// with other paths of these. All functions are pure.
namespace eventspace::web {

/// The events and processes of an order about collecting.
struct CollectingChoice {
  std::vector<SwitchOrder> orders;  ///< to carry out one after the other; together they are one choice
  std::string nodes{"**"};          ///< a glob
  std::string words;                ///< "operation write of process writers"
};

/// Returns the choice of `wish`. Throws ConfigurationError, with the nearest and the known names, if a path,
/// thread, kind or class is unknown or a path is not recorded; and for a path in more processes than
/// `max_orders` globs can name.
CollectingChoice choice_of(const CollectingWish& wish, const Plan& plan);
inline constexpr std::size_t max_orders = 16;

/// A path, or all paths with the same name, as one thing to switch.
struct SwitchablePath {
  std::string name;
  std::vector<EventClasses> events;      ///< of its operations
  std::vector<std::uint32_t> processes;  ///< that record it, by their numbers in reports
  std::vector<std::string> also;         ///< names of other paths whose events are switched with it
};
/// Returns the recorded paths of the application, by name; at most `max_paths`.
std::vector<SwitchablePath> switchable_paths(const Plan& plan);
inline constexpr std::size_t max_paths = 256;

/// "on", "off", "1/N", or "mixed" if the events do not all have the same setting.
std::string setting_of(const CollectState& state, const std::vector<EventClasses>& events);

/// The reports of a look on the processes, by their numbers.
using ProcessReports = std::map<std::uint32_t, ProcessReport>;
/// The processes by their settings: `state`, `count`, `processes` (text), and the first names.
Json collecting_json(const ProcessReports& reports, const PlanNames& names);
/// `name`, `events`, `setting`, `processes` and `also` of each path. The setting is null if no process that
/// records the path runs.
Json paths_json(const std::vector<SwitchablePath>& paths, const ProcessReports& reports,
                const PlanNames& names);
/// The kinds of events, each with its classes.
Json kinds_json();

}  // namespace eventspace::web
