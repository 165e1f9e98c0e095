#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "monitors/probing/groups/grouped_refusals.h"
#include "monitors/probing/groups/number_spread.h"
#include "monitors/probing/groups/process_facts.h"
#include "monitors/probing/groups/spread.h"
#include "monitors/probing/measuring/measuring_layout.h"
#include "monitors/probing/variables/program_variable.h"

namespace eventspace {

/// A process of a group, for display.
struct GroupMember {
  std::string host{};
  std::int32_t pid{0};
  std::string name{};
  std::string rank{};  ///< empty if it has none
  std::string job{};
  std::string session{};
  std::uint64_t threads{0};

  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};

/// The value of a variable in a process, see variables/program_variable.h.
struct VariableReading {
  std::string process{};  ///< name_of()
  std::string variable{};
  ProgramVariable::Value value{};

  friend bool operator==(const VariableReading&, const VariableReading&) = default;
};

/// A variable of probes (ProbeTask::lets). Each process has its own instance.
struct VariableSpread {
  std::string name{};
  NumberSpread numbers{};  ///< one number for each process

  friend bool operator==(const VariableSpread&, const VariableSpread&) = default;
};

GroupMember member_of(const ProcessFacts& process);
/// "n1:4711", or "n1:rank3" if it has a rank.
std::string name_of(const ProcessFacts& process);

/// The combined answer of processes to a command: how many did it, and why the others did not. Answers of
/// several machines are merged on their way through the tree, in any order.
struct GroupAnswer {
  static constexpr std::size_t max_functions = 4096;
  static constexpr std::size_t max_members = 65536;
  static constexpr std::size_t max_readings = 65536;
  static constexpr std::size_t max_variables = measuring::max_variables;

  std::uint64_t processes{0};  ///< that were to do it
  std::uint64_t done{0};       ///< that did it
  std::uint64_t probes{0};     ///< that are in the processes, or were removed
  /// remove: the number of processes that came later and could not have probes, plus those that still have
  /// probes.
  std::uint64_t failed{0};
  GroupedRefusals refusals{};
  std::chrono::nanoseconds longest_stop{};  ///< of any thread
  std::chrono::nanoseconds call_cost{};     ///< of a measured call, on the slowest machine; 0: not measured
  std::vector<FunctionSpread> functions{};  ///< sorted by module and function
  std::vector<VariableSpread> variables{};  ///< in the order of the GroupOrder
  std::vector<GroupMember> members{};       ///< in order of machines
  std::vector<VariableReading> readings{};  ///< likewise
  std::uint64_t left_out{0};          ///< functions, variables, members and readings beyond the most kept
  std::vector<std::string> silent{};  ///< machines that have not answered; set only where the tree ends

  void merge(GroupAnswer other);
  /// Adds a member, or counts it as left out if there are too many.
  void add(GroupMember member);
  /// The spread of a function, which is added if it is new; null if there are too many functions.
  FunctionSpread* function(const std::string& module, const std::string& name);
  /// The spread of a variable, likewise.
  NumberSpread* variable(const std::string& name);
};

}  // namespace eventspace
