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

/// What processes can be told to do. The numbers travel.
enum class GroupVerb : std::uint8_t {
  list = 1,       ///< say which there are
  place = 2,      ///< put probes into the processes; those of an earlier order are removed first
  look = 3,       ///< say what the probes have counted and measured
  remove = 4,     ///< take the probes out, with a last look
  detach = 5,     ///< take all probes out of the processes, of any owner
  stop = 6,       ///< SIGSTOP
  go_on = 7,      ///< SIGCONT
  switch_on = 8,  ///< changes what they record, if they are in a session: see `setting`
  callees = 9,    ///< say which functions are called directly by those that match, and can have probes
  single = 10,    ///< changes single probes, of any owner: see `setting`
  read = 11,      ///< say what variables are now, which are `patterns`
  attach = 12     ///< as place; the probes record their calls in segments of a session: see `setting`
};

/// A command for a group of processes, wherever they are.
struct GroupOrder {
  static constexpr std::size_t most_patterns = 1024;

  GroupVerb verb{GroupVerb::list};
  ProcessChoice choice{};
  ProcessGroups groups{};  ///< those that the choice needs
  /// place, attach, callees, single: of functions; read: parse_variable().
  std::vector<std::string> patterns{};
  std::string modules{};  ///< place, attach, callees, single: of their modules; empty: all
  /// place, attach, single: not of the functions, but of their calls by those that match; empty: of them.
  std::string callers{};
  ProbeTask task{};           ///< place, attach
  bool has_histogram{false};  ///< place: answers say how many calls took how long
  /// switch_on: switch_order_of(); single: "on", "off" or "removed"; attach: the name of the session.
  std::string setting{};
};

/// The setting of an order to change single probes. Throws ConfigurationError.
ProbeState probe_state_of(const std::string& setting);
std::string setting_of(ProbeState state);

/// The setting of an order to switch what is recorded: "off", or of some events "1/100 mpi complete", by
/// their kind and class, of which "-" stands for all. Both throw ConfigurationError, for words that are none
/// and for words with blanks in them.
SwitchOrder switch_order_of(const std::string& setting);
std::string switch_setting(const std::string& period, const std::string& kind,
                           const std::string& event_class);

/// Throws ConfigurationError if an order has a fault: it is checked before it is sent, and again by those who
/// get it.
void check_order(const GroupOrder& order);

}  // namespace eventspace
