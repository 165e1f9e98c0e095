#pragma once

// Private to monitors/.

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/measuring/probe_task.h"
#include "monitors/probing/probes/process_probes.h"

namespace eventspace {

/// The commands for processes. The numbers are sent.
enum class GroupVerb : std::uint8_t {
  list = 1,       ///< return the processes
  place = 2,      ///< put probes into the processes, after removing those of an earlier order
  look = 3,       ///< return the counts and measurements of the probes
  remove = 4,     ///< take the probes out, with a last reading
  detach = 5,     ///< take all probes out of the processes, of any owner
  stop = 6,       ///< SIGSTOP
  go_on = 7,      ///< SIGCONT
  switch_on = 8,  ///< change what they record, if they are in a session: see `setting`
  callees = 9,    ///< return the functions that are called directly by matching ones and can be probed
  single = 10,    ///< change single probes, of any owner: see `setting`
  read = 11,      ///< return the current values of the variables in `patterns`
  attach = 12     ///< like place; the probes record their calls in segments of a session: see `setting`
};

/// A command for a group of processes on any machines.
struct GroupOrder {
  static constexpr std::size_t max_patterns = 1024;

  GroupVerb verb{GroupVerb::list};
  ProcessChoice choice{};
  ProcessGroups groups{};  ///< definitions that the choice needs
  /// place, attach, callees, single: patterns of functions; read: parse_variable().
  std::vector<std::string> patterns{};
  std::string modules{};  ///< place, attach, callees, single: pattern of the functions' modules; empty: all
  /// place, attach, single: if not empty, calls of the functions by callers that match are probed, not the
  /// functions.
  std::string callers{};
  ProbeTask task{};           ///< place, attach
  bool has_histogram{false};  ///< place: whether answers include the distribution of call durations
  /// switch_on: switch_order_of(); single: "on", "off" or "removed"; attach: the name of the session.
  std::string setting{};
};

/// Parses the setting of an order to change single probes. Throws ConfigurationError.
ProbeState probe_state_of(const std::string& setting);
std::string setting_of(ProbeState state);

/// The setting of an order to switch what is recorded: "off", or for some events "1/100 mpi complete", with
/// their kind and class, where "-" stands for all. Both functions throw ConfigurationError for invalid words
/// and for words with blanks in them.
SwitchOrder switch_order_of(const std::string& setting);
std::string switch_setting(const std::string& period, const std::string& kind,
                           const std::string& event_class);

/// Throws ConfigurationError if an order is invalid. Orders are checked before they are sent, and again by
/// their receivers.
void check_order(const GroupOrder& order);

}  // namespace eventspace
