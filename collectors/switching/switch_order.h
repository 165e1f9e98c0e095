#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuplespace/trace/collect_switch.h"

namespace eventspace {

/// The events to switch, and the processes of a session in which to switch them.
struct SwitchOrder {
  std::string processes{"**"};           ///< a glob over their names (paths/parameters/glob.h)
  std::vector<EventClasses> events{{}};  ///< 1 to max_events of them; all kinds and classes if it is {{}}
  /// One event in `period` is recorded from now on; 0 means none. Nullopt changes nothing.
  std::optional<std::uint32_t> period;

  static constexpr std::size_t max_events = 255 * CollectSwitch::classes;
};

/// A process selected by a SwitchOrder.
struct SwitchedProcess {
  std::string node;
  std::string process;
  std::int32_t pid{0};
  CollectState state;   ///< after the order; meaningless if there is a refusal
  std::string refusal;  ///< why switching or reading its state failed; empty on success
};

/// Returns the period that `text` means: "on" is 1, "off" 0, "1/N" N. Throws ConfigurationError with the
/// allowed texts.
std::uint32_t period_of(std::string_view text);
/// "on", "off" or "1/N".
std::string text_of_period(std::uint32_t period);

/// Returns the events of the kind and class with these names (collectors/kinds/event_kinds.h); an empty name
/// selects all. A class alone selects the events of each kind that has it. Throws ConfigurationError with the
/// nearest and the known names.
std::vector<EventClasses> events_named(std::string_view kind, std::string_view event_class);
/// Returns the words of the classes of a kind of event; empty if its events have no classes.
std::vector<std::string_view> classes_of_kind(std::string_view kind);

/// Returns the period of these events in `state`. Nullopt if they have several, or `state` does not list it.
std::optional<std::uint32_t> period_in(const CollectState& state, const EventClasses& events);

/// "on"; "1/10"; "on, but operation write off, probe 1/100"; "off, by the program".
std::string describe(const CollectState& state);
/// "operation write": the names of kind and class; a number in place of an unknown one.
std::string describe(const EventClasses& events);

}  // namespace eventspace
