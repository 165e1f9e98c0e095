#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collectors/switching/switch_order.h"
#include "monitors/probing/groups/process_choice.h"
#include "monitors/probing/measuring/probe_task.h"
#include "monitors/probing/probes/process_probes.h"

namespace eventspace {

/// The functions that probes are put into.
struct FunctionPatterns {
  static constexpr std::size_t max_patterns = 1024;

  std::vector<std::string> patterns{};  ///< at least one
  std::string modules{};                ///< pattern of the functions' modules; empty: all
  /// If not empty, calls of the functions by callers that match are probed, not the functions.
  std::string callers{};

  friend bool operator==(const FunctionPatterns&, const FunctionPatterns&) = default;
};

// The commands for a group of processes, one struct each. A visitor that lacks one of them does not compile.

/// Return the processes.
struct ListProcesses {};
/// Put probes into the processes, after removing those of an earlier order.
struct PlaceProbes {
  FunctionPatterns functions{};
  ProbeTask task{};
  bool has_histogram{false};  ///< whether answers include the distribution of call durations
};
/// Like PlaceProbes; the probes record their calls in segments of a session.
struct RecordCalls {
  FunctionPatterns functions{};
  ProbeTask task{};
  std::string session{};  ///< a valid name (pathmaps/plan/session_plan.h)
};
/// Return the counts and measurements of the probes.
struct ReadProbes {};
/// Remove the probes of earlier orders, with a last reading.
struct RemoveProbes {};
/// Remove all probes from the processes, of any owner.
struct RemoveAllProbes {};
/// Switch the probes at functions on or off, or remove them, of any owner.
struct SwitchProbes {
  FunctionPatterns functions{};
  ProbeState to{ProbeState::on};
};
/// Send SIGSTOP.
struct StopProcesses {};
/// Send SIGCONT.
struct ContinueProcesses {};
/// Change which events the processes record, if they are in a session.
struct SwitchRecording {
  std::uint32_t period{1};               ///< one event in `period` is recorded; 0: none
  std::vector<EventClasses> events{{}};  ///< as in SwitchOrder
};
/// Return the functions that are called directly by matching ones and that can have a probe.
struct ListCallees {
  std::vector<std::string> callers{};  ///< patterns of functions; at least one
  std::string modules{};               ///< pattern of the callers' modules; empty: all
};
/// Return the current values of variables.
struct ReadVariables {
  std::vector<std::string> variables{};  ///< as for parse_variable(); at least one
};

using GroupCommand =
    std::variant<ListProcesses, PlaceProbes, RecordCalls, ReadProbes, RemoveProbes, RemoveAllProbes,
                 SwitchProbes, StopProcesses, ContinueProcesses, SwitchRecording, ListCallees, ReadVariables>;

/// A command for a group of processes on any machines.
struct GroupOrder {
  ProcessChoice choice{};
  ProcessGroups groups{};  ///< definitions that the choice needs
  GroupCommand command{};
};

/// Throws ConfigurationError if an order is invalid. Orders are checked before they are sent, and again by
/// their receivers.
void check_order(const GroupOrder& order);

}  // namespace eventspace
