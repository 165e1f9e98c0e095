#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "monitors/probing/measuring/measured_calls.h"
#include "monitors/probing/measuring/probe_task.h"
#include "monitors/probing/probes/kept_memory.h"
#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/probes/recorded_probes.h"

namespace eventspace {

/// An exit of a function that gets a jump, see ExitSite.
struct PlannedExit {
  std::uint64_t place{0};       ///< of the first replaced byte, in the process
  std::vector<std::byte> code;  ///< the replaced bytes, as its file has them
  std::size_t leaving{0};       ///< which of them is the first of the instruction that leaves
};

/// A probe that is to be put into a process: at the entry of a function, and at its exits; or at a call of it
/// (CallPlace), and in the bytes behind that.
struct PlannedProbe {
  std::uint64_t place{0};            ///< EntryCheck::place_in or that of the call, in the process
  std::vector<std::byte> code;       ///< of the function from there on or of the call, as its file has it
  AddressRange module;               ///< the code of its module in the process
  std::vector<PlannedExit> exits{};  ///< all of them, of a call one; empty if the task does not need them
  bool is_call{false};               ///< of a call
  std::uint32_t lets{0};             ///< by bit: which of the task's lets it has
  bool has_lets_only{false};         ///< it does nothing else
  std::uint32_t name{0};             ///< the number of its name in records
};

/// At most ProbeArea::most_probes probes, which all do the same, but for their lets.
struct ProbesPlan {
  std::vector<PlannedProbe> probes;
  CompiledTask task;
  std::optional<RecordedProbes> recorded{};  ///< where they record; nothing: nowhere
};

/// What became of it.
struct PlacedProbe {
  std::uint64_t counters{0};  ///< the address of its ProbeCounters in the process; 0: it was not put in
  std::uint64_t measures{0};  ///< and of its measuring::MeasureLine[measuring::lines]
  std::string refusal;        ///< why not; empty: it was
  std::uint64_t place{0};     ///< PlannedProbe::place
  bool has_lets_only{false};  ///< PlannedProbe::has_lets_only
};

struct Placement {
  std::vector<PlacedProbe> probes;  ///< in the order of the plan
  std::uint64_t variables{0};       ///< the address of the variables in the process; 0: there are none
  std::uint64_t rings{0};  ///< the address of recorded::Ring[recorded::most_rings] in the process; 0: none
  std::set<std::uint64_t> areas{};  ///< the inodes of the memory of these probes (ProbeArea)
  KeptMemory kept{};                ///< that memory
  std::chrono::nanoseconds
      longest_stop{};  ///< how long a thread of the process stood still at a time, at most
};

struct Removal {
  std::size_t removed{0};    ///< functions that are as they were again
  std::size_t foreign{0};    ///< functions that another tool has changed since: left as they are
  std::size_t processes{0};  ///< from which probes were removed: the process, and its forked children
  bool is_whole{true};       ///< false: a thread stays in the memory of the probes, which is left to it
  std::chrono::nanoseconds longest_stop{};
};

enum class ProbeState : std::uint8_t {
  on,
  off,     ///< the function is as if it had no probe, but the probe can be switched on; its counts stay
  removed  ///< likewise for good; its memory goes with that of the others
};

/// What is to become of single probes.
struct ProbeSwitch {
  ProbeState to{ProbeState::on};
  std::vector<std::uint64_t> places{};  ///< PlannedProbe::place of each; empty: all of the process
};

/// What became of it.
struct SwitchedProbes {
  std::size_t probes{0};     ///< of the process that are now so, without those of its children
  std::size_t changed{0};    ///< of them, those that were not so before
  std::size_t foreign{0};    ///< functions that another tool has changed since: left as they are
  std::size_t waiting{0};    ///< those in whose bytes a thread stays: left as they are
  std::size_t processes{0};  ///< the process, and its forked children, if they have such probes
  std::chrono::nanoseconds longest_stop{};
};

/// What was done in one of several processes.
template <class Done>
struct InProcess {
  Done done{};
  std::string refusal{};  ///< why it could not be done; empty: it was
};

/// Puts probes into a process. All its threads stand still for less than a millisecond at a time. If it fails
/// half-way, what was done is removed. Throws EnvironmentError with the reason if no probe can be put in: it
/// may not be traced, is of 32 bits, filters its calls of the system, has no room within 2 GiB, or another
/// tool that runs has probes in it. Probes that a tool has left that does not run any more are removed first;
/// those that this process has put in stay, at most 16 times. A function has one probe at a time.
///
/// The work is done by a process of its own that is not killed with this one, so that nothing is left
/// half-done if this process is killed at any time. Probes that stay in the process then go on counting, cost
/// as much as before, and are removed by the next call. Requires that this process may fork. Blocks. Not
/// thread-safe for one process.
Placement place_probes(std::int32_t pid, const ProbesPlan& plan);

/// Switches single probes of a process and its forked children, of any owner, on or off, or removes them;
/// those that are removed stay so. A call that is under way when its probe is switched off has no end: it
/// counts as passed by. Throws as remove_probes() does; `places` without a probe have no effect. As for
/// place_probes.
SwitchedProbes switch_probes(std::int32_t pid, const ProbeSwitch& order);
/// The same for several processes, by their ids, one after the other, but with one search for forked
/// children, which takes longer than all else on a machine with many processes. Returns what was done in
/// their order. Throws EnvironmentError if that is not known.
std::vector<InProcess<SwitchedProbes>> switch_probes(const std::map<std::int32_t, ProbeSwitch>& orders);

/// Removes all probes from a process and its forked children, of any owner. Afterwards its code, its mappings
/// and its descriptors are those from before. No effect if it has none, or has ended. Throws EnvironmentError
/// with the reason if that is not possible. As for place_probes.
Removal remove_probes(std::int32_t pid);
/// The same for the probes that this process has put in only. Others, which another tool has put in after
/// these had been removed by a third, stay.
Removal remove_own_probes(std::int32_t pid);
/// The same for those of one call of place_probes() only: `areas` is Placement::areas.
Removal remove_probes_in(std::int32_t pid, const std::set<std::uint64_t>& areas);
/// The first two for several processes, as switch_probes() is. A child that is not among them counts with the
/// first one whose probes it has.
std::vector<InProcess<Removal>> remove_probes(const std::vector<std::int32_t>& pids);
std::vector<InProcess<Removal>> remove_own_probes(const std::vector<std::int32_t>& pids);

/// Whether a process has probes that this one has put in: also a forked child has, whose calls count with
/// those of its parent. False if it has ended.
bool has_own_probes(std::int32_t pid);

/// The sum of a probe's counters; nullopt if the process has ended or runs another program, or its memory was
/// not kept. The process runs on.
std::optional<std::uint64_t> calls_counted(const ProcessMemory& memory, std::uint64_t counters);
std::optional<std::uint64_t> calls_counted(const KeptMemory& memory, std::uint64_t counters);
/// Likewise the ids of the threads that record, by ring; 0: none does.
std::optional<std::vector<std::int32_t>> recording_threads(const ProcessMemory& memory, std::uint64_t rings);
/// Likewise the bits of the variables, in their order.
std::optional<std::vector<std::uint64_t>> variables_of(const ProcessMemory& memory, std::uint64_t variables);
std::optional<std::vector<std::uint64_t>> variables_of(const KeptMemory& memory, std::uint64_t variables);
/// Likewise what a probe has measured; `real_values` as for measured_in().
std::optional<MeasuredCalls> calls_measured(const ProcessMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values);
std::optional<MeasuredCalls> calls_measured(const KeptMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values);

}  // namespace eventspace
