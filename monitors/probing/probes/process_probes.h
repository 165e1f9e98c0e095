#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/probing/measuring/measured_calls.h"
#include "monitors/probing/measuring/probe_task.h"
#include "monitors/probing/probes/kept_memory.h"
#include "monitors/probing/probes/probe_area.h"
#include "monitors/probing/probes/recorded_probes.h"

namespace eventspace {

/// An exit of a function that is to be patched, see ExitSite.
struct PlannedExit {
  std::uint64_t place{0};       ///< address of the first replaced byte, in the process
  std::vector<std::byte> code;  ///< the replaced bytes, as in the file
  std::size_t leaving{0};       ///< offset in `code` of the instruction that leaves the function
};

/// A probe that is to be put into a process: at the entry of a function and at its exits; or at a call
/// (CallPlace) and in the bytes after it.
struct PlannedProbe {
  std::uint64_t place{0};            ///< EntryCheck::place_in or the address of the call, in the process
  std::vector<std::byte> code;       ///< the function from there on, or the call, as in the file
  AddressRange module;               ///< the code of its module in the process
  std::vector<PlannedExit> exits{};  ///< of the function, or the one of the call; empty if not needed
  bool is_call{false};               ///< whether it is at a call
  std::uint32_t lets{0};             ///< bits for the task's lets that it has
  bool has_lets_only{false};         ///< the lets are its only purpose
  std::uint32_t name{0};             ///< the number of its name in records
};

/// Probes with the same task, except for their lets. Limited to ProbeArea::max_probes.
struct ProbesPlan {
  std::vector<PlannedProbe> probes;
  CompiledTask task;
  std::optional<RecordedProbes> recorded{};  ///< where they record; nullopt: they do not record
};

/// The result for a planned probe.
struct PlacedProbe {
  std::uint64_t counters{0};  ///< the address of its ProbeCounters in the process; 0: it was refused
  std::uint64_t measures{0};  ///< the address of its measuring::MeasureLine[measuring::lines]
  std::string refusal;        ///< the reason; empty: it was put in
  std::uint64_t place{0};     ///< PlannedProbe::place
  bool has_lets_only{false};  ///< PlannedProbe::has_lets_only
};

struct Placement {
  std::vector<PlacedProbe> probes;  ///< in the order of the plan
  std::uint64_t variables{0};       ///< the address of the variables in the process; 0: none
  std::uint64_t rings{0};  ///< the address of recorded::Ring[recorded::max_rings] in the process; 0: none
  std::set<std::uint64_t> areas{};  ///< the inodes of the regions of these probes (ProbeArea)
  KeptMemory kept{};                ///< those regions
  std::chrono::nanoseconds
      longest_stop{};  ///< the longest time that a thread of the process was stopped at once
};

struct Removal {
  std::size_t removed{0};    ///< functions that were restored
  std::size_t foreign{0};    ///< functions that another tool has changed since; they are left as they are
  std::size_t processes{0};  ///< from which probes were removed: the process, and its forked children
  bool is_whole{true};       ///< false: a thread is still in a region, so it was not unmapped
  std::chrono::nanoseconds longest_stop{};
};

enum class ProbeState : std::uint8_t {
  on,
  off,     ///< the function is restored, but the probe can be switched on again; its counts are kept
  removed  ///< likewise, but permanently; its memory is removed together with the other probes' memory
};
/// "switched on", "switched off" or "removed".
std::string_view done_text(ProbeState to) noexcept;

/// An order to change single probes.
struct ProbeSwitch {
  ProbeState to{ProbeState::on};
  std::vector<std::uint64_t> places{};  ///< PlannedProbe::place of each; empty: all probes of the process
};

/// The result of a ProbeSwitch.
struct SwitchedProbes {
  std::size_t probes{0};     ///< probes of the process that now have the state, without those of its children
  std::size_t changed{0};    ///< of these, probes that were changed
  std::size_t foreign{0};    ///< functions that another tool has changed since; they are left as they are
  std::size_t waiting{0};    ///< probes in whose bytes a thread stays; they are left as they are
  std::size_t processes{0};  ///< the process, and its forked children, if they have such probes
  std::chrono::nanoseconds longest_stop{};
};

/// The result for one of several processes.
template <class Done>
struct InProcess {
  Done done{};
  std::string refusal{};  ///< the reason of a failure; empty on success
};

/// Puts probes into a process. All its threads are stopped for less than a millisecond at a time. If it fails
/// half-way, the probes that were put in are removed. Throws EnvironmentError with the reason if no probe can
/// be put in: the process may not be traced, is a 32-bit process, filters its system calls, has too little
/// room within 2 GiB, or has probes of another running tool. Probes of a tool that no longer runs are removed
/// first; probes that this process has put in stay, up to 16 times. A function has one probe at a time.
///
/// The work is done by a separate process, which is not killed with this one, so that no patch is left
/// half-done whenever this process is killed. Probes that are then left in the process continue to count, at
/// the same cost, and are removed by the next call. Requires that this process may fork. Blocks. Not
/// thread-safe for one process.
Placement place_probes(std::int32_t pid, const ProbesPlan& plan);

/// Switches single probes of a process and its forked children, of any owner, on or off, or removes them
/// permanently. A call in progress whose probe is switched off never ends for the probe: it counts as passed
/// by. Throws as remove_probes() does; `places` without a probe are ignored. The work is done as in
/// place_probes().
SwitchedProbes switch_probes(std::int32_t pid, const ProbeSwitch& order);
/// Does the same for several processes, by their ids, one after the other. Searches for forked children once,
/// which takes longest on a machine with many processes. Returns the results in the order of the processes.
/// Throws EnvironmentError if the results are unknown.
std::vector<InProcess<SwitchedProbes>> switch_probes(const std::map<std::int32_t, ProbeSwitch>& orders);

/// Removes all probes from a process and its forked children, of any owner. Afterwards their code, mappings
/// and descriptors are as before. No effect if the process is without probes, or has ended. Throws
/// EnvironmentError with the reason if that is not possible. The work is done as in place_probes().
Removal remove_probes(std::int32_t pid);
/// Removes only probes that this process has put in. Probes of another tool, which were put in after a third
/// had removed this process's, stay.
Removal remove_own_probes(std::int32_t pid);
/// Removes only the probes of one call of place_probes(): `areas` is Placement::areas.
Removal remove_probes_in(std::int32_t pid, const std::set<std::uint64_t>& areas);
/// remove_probes() and remove_own_probes() for several processes, like switch_probes(). A child that is not
/// among them counts with the first process whose probes it has.
std::vector<InProcess<Removal>> remove_probes(const std::vector<std::int32_t>& pids);
std::vector<InProcess<Removal>> remove_own_probes(const std::vector<std::int32_t>& pids);

/// Whether a process has probes that this one has put in. True for a forked child of such a process, whose
/// calls count with its parent's. False if it has ended.
bool has_own_probes(std::int32_t pid);

/// The sum of a probe's counters; nullopt if the process has ended or runs another program, or its memory was
/// not kept. The process keeps running.
std::optional<std::uint64_t> calls_counted(const ProcessMemory& memory, std::uint64_t counters);
std::optional<std::uint64_t> calls_counted(const KeptMemory& memory, std::uint64_t counters);
/// Likewise the ids of the recording threads, by ring; 0: unused.
std::optional<std::vector<std::int32_t>> recording_threads(const ProcessMemory& memory, std::uint64_t rings);
/// Likewise the bits of the variables, in their order.
std::optional<std::vector<std::uint64_t>> variables_of(const ProcessMemory& memory, std::uint64_t variables);
std::optional<std::vector<std::uint64_t>> variables_of(const KeptMemory& memory, std::uint64_t variables);
/// Likewise the measurements of a probe; `real_values` as for measured_in().
std::optional<MeasuredCalls> calls_measured(const ProcessMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values);
std::optional<MeasuredCalls> calls_measured(const KeptMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values);

}  // namespace eventspace
