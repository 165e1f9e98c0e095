#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/probes/area_processes.h"
#include "monitors/probing/probes/probe_patching.h"
#include "monitors/probing/tracing/stopped_calls.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

/// Functions whose probes were removed: the inode of their region, and their address.
using RemovedPlaces = std::set<std::pair<std::uint64_t, std::uint64_t>>;

/// Changes the probes of one process. `removed`: probes that were removed from other processes by the same
/// call of switch_here(). The journal, which has the same information, is shared by a process and its forked
/// children.
class SwitchingProbes {
 public:
  SwitchingProbes(std::int32_t pid, const ProbeSwitch& order, RemovedPlaces& removed, SwitchedProbes& done)
      : pid_(pid), order_(order), memory_(pid), removed_(removed), done_(done) {}

  void change() {
    for (const ProbeArea& area : areas_in(memory_, mapped_ranges(pid_)))
      if (area.header) choose_probes(area);
    if (chosen_.empty()) return;
    ++done_.processes;
    if (order_.to == ProbeState::removed) note_removed();
    for (int attempt = 0; attempt < max_stops && !chosen_.empty(); ++attempt) {
      if (attempt > 0) std::this_thread::sleep_for(pause_before_stop(attempt));
      const auto mapped = mapped_ranges(pid_);
      while_stopped(pid_, done_.longest_stop,
                    [&](const StoppedProcess& stopped) { write_code(stopped, mapped); });
    }
    done_.waiting += chosen_.size();
  }

 private:
  struct Patch {
    ProbeArea::Entry entry;
    std::uint64_t journal_at;  // the address of the entry in the process
  };
  struct Probe {
    std::uint64_t area;          // the inode of the region
    std::vector<Patch> patches;  // the entry and the exits
  };

  void choose_probes(const ProbeArea& area) {
    for (const ProbeArea::Entry& entry : area.entries) {
      if (entry.is_exit != 0 || !is_chosen(area, entry)) continue;
      Probe probe{area.inode, {}};
      for (const ProbeArea::Entry& other : area.entries)
        if (other.probe == entry.probe)
          probe.patches.push_back(
              {other, area.header->data + ProbeArea::header_bytes + other.place * ProbeArea::entry_bytes});
      chosen_.push_back(std::move(probe));
    }
  }

  // A probe that the journal marks as removed may still be in the code of this process, if another process
  // that shares the journal was changed first.
  [[nodiscard]] bool is_chosen(const ProbeArea& area, const ProbeArea::Entry& entry) const {
    const bool may_be_in_code = order_.to != ProbeState::on && removed_.contains({area.inode, entry.address});
    return (entry.is_removed == 0 || may_be_in_code) &&
           (order_.places.empty() || std::ranges::find(order_.places, entry.address) != order_.places.end());
  }

  // Marks them in the journal, so that no later order switches them on.
  void note_removed() {
    for (Probe& probe : chosen_) {
      for (Patch& patch : probe.patches) {
        removed_.insert({probe.area, patch.entry.address});
        patch.entry.is_removed = 1;
        memory_.write(patch.journal_at, std::as_bytes(std::span(&patch.entry, 1)));
      }
    }
  }

  void write_code(const StoppedProcess& stopped, const std::vector<MappedRange>& mapped) {
    std::erase_if(chosen_, [&](const Probe& probe) {
      std::vector<AddressRange> inside;
      for (const Patch& patch : probe.patches)
        inside.push_back({patch.entry.address + 1, patch.entry.address + probe_jump_bytes});
      // When original instructions are replaced, no thread may be between them. The jump of a probe is a
      // single instruction, so no thread can be inside it.
      if (order_.to == ProbeState::on && stopped.is_in(inside, memory_, mapped)) return false;
      write_code(probe);
      return true;
    });
  }

  // Writes all patches of a probe, or none: a function that another tool has changed since is left as it is.
  void write_code(const Probe& probe) {
    std::vector<std::pair<std::uint64_t, std::vector<std::byte>>> changes;
    for (const Patch& patch : probe.patches) {
      const auto original = std::as_bytes(std::span(patch.entry.original)).first(probe_jump_bytes);
      const auto jump = patch_code(original, patch.entry.address, patch.entry.trampoline);
      std::array<std::byte, probe_jump_bytes> now{};
      memory_.read(patch.entry.address, now);
      const bool is_original = std::ranges::equal(now, original);
      if (!jump || (!is_original && now != *jump)) {
        ++done_.foreign;
        return;
      }
      const bool becomes_jump = order_.to == ProbeState::on;
      if (becomes_jump != is_original) continue;  // already in that state
      changes.emplace_back(patch.entry.address,
                           becomes_jump ? std::vector<std::byte>(jump->begin(), jump->end())
                                        : std::vector<std::byte>(original.begin(), original.end()));
    }
    for (const auto& [address, bytes] : changes) memory_.write(address, bytes);
    if (!changes.empty()) ++done_.changed;
    ++done_.probes;
  }

  std::int32_t pid_;
  const ProbeSwitch& order_;
  ProcessMemory memory_;
  RemovedPlaces& removed_;
  SwitchedProbes& done_;
  std::vector<Probe> chosen_;  // still to be changed
};

void add(SwitchedProbes& all, const SwitchedProbes& one) {
  all.probes += one.probes;
  all.changed += one.changed;
  all.foreign += one.foreign;
  all.waiting += one.waiting;
  all.processes += one.processes;
  all.longest_stop = std::max(all.longest_stop, one.longest_stop);
}

}  // namespace

std::vector<InProcess<SwitchedProbes>> switch_here(const std::map<std::int32_t, ProbeSwitch>& orders) {
  std::vector<InProcess<SwitchedProbes>> done(orders.size());
  std::vector<AreasOfProcess> wanted;
  std::vector<const ProbeSwitch*> order_of;
  for (const auto& [pid, order] : orders) {
    wanted.push_back({pid, {}});
    order_of.push_back(&order);
    try {
      if (read_process_stat(pid)) wanted.back().inodes = area_inodes(pid);
    } catch (const EnvironmentError& error) {
      done[wanted.size() - 1].refusal = error.what();
    }
  }
  RemovedPlaces removed;
  for_each_process_with(wanted, [&](std::int32_t process, std::size_t place) {
    SwitchedProbes one;
    try {
      SwitchingProbes(process, *order_of[place], removed, one).change();
    } catch (const EnvironmentError& error) {
      if (process == wanted[place].pid && read_process_stat(process)) done[place].refusal = error.what();
    }
    if (process != wanted[place].pid) one.probes = one.changed = 0;
    add(done[place].done, one);
  });
  return done;
}

}  // namespace eventspace
