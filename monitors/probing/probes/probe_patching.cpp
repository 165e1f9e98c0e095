#include "monitors/probing/probes/probe_patching.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>

#include <eventspace/error.h>
#include "monitors/probing/probes/area_processes.h"
#include "monitors/probing/probes/probe_placing.h"
#include "monitors/probing/tracing/stopped_calls.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::size_t max_own_areas = 16;

class Removing {
 public:
  /// Removes the regions with these inodes.
  Removing(std::int32_t pid, const std::set<std::uint64_t>& inodes, Removal& done)
      : pid_(pid), memory_(pid), inodes_(inodes), done_(done) {}

  void remove() {
    areas_ = areas_in(memory_, mapped_ranges(pid_));
    std::erase_if(areas_, [&](const ProbeArea& area) { return !inodes_.contains(area.inode); });
    if (areas_.empty()) return;
    site_ = call_site_in(memory_, mapped_ranges(pid_));
    const bool has_files = std::ranges::any_of(areas_, [](const ProbeArea& area) {
      return !area.descriptors.empty();  // left by a tool that was killed
    });
    while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) {
      restore();
      if (has_files) close_files(stopped);
    });
    ++done_.processes;  // counted only if it could be stopped, which fails if it is traced
    // The memory is removed last, since it contains the journal, without which the next tool would find
    // nothing if this one is killed.
    forget_pages();
    for (int attempt = 0; attempt < max_stops; ++attempt) {
      bool is_free = false;
      const auto mapped = mapped_ranges(pid_);
      while_stopped(pid_, done_.longest_stop,
                    [&](const StoppedProcess& stopped) { is_free = unmap(stopped, mapped); });
      if (is_free) return;
      std::this_thread::sleep_for(pause_before_stop(attempt + 1));
    }
    done_.is_whole = false;
  }

 private:
  void restore() {
    for (const ProbeArea& area : areas_) {
      for (const ProbeArea::Entry& entry : area.entries) restore(entry);
    }
  }

  void restore(const ProbeArea::Entry& entry) {
    const auto original = std::as_bytes(std::span(entry.original)).first(probe_jump_bytes);
    const auto jump = patch_code(original, entry.address, entry.trampoline);
    std::array<std::byte, probe_jump_bytes> now{};
    memory_.read(entry.address, now);
    // If the bytes are the original ones, the tool was killed before it wrote the jump, or after it had
    // removed it.
    const bool is_original = std::equal(now.begin(), now.end(), original.begin());
    if (!is_original && (!jump || now != *jump)) {
      ++done_.foreign;
      return;
    }
    for (const std::uint64_t address : {entry.address, entry.address + probe_jump_bytes - 1})
      pages_.insert(address & ~(page_bytes - 1));
    if (is_original) return;
    memory_.write(entry.address, original);
    if (entry.is_exit == 0) ++done_.removed;
  }

  void close_files(const StoppedProcess& stopped) const {
    for (const ProbeArea& area : areas_in(memory_, mapped_ranges(pid_)))
      if (inodes_.contains(area.inode))
        for (const std::int32_t descriptor : area.descriptors)
          StoppedCalls(stopped, site_)(SYS_close, {static_cast<std::uint64_t>(descriptor)});
  }

  // Returns false if a thread is in the memory of the probes, or may return to it.
  bool unmap(const StoppedProcess& stopped, const std::vector<MappedRange>& mapped) {
    std::vector<AddressRange> ranges;
    std::vector<AddressRange> code;
    for (const ProbeArea& area : areas_) {
      for (const AddressRange& range : memory_of(area, mapped)) ranges.push_back(range);
      for (const MappedRange& mapping : area.mappings)
        if (mapping.is_executable) code.push_back({mapping.begin, mapping.end});
    }
    if (done_.foreign > 0 || stopped.is_in(code, memory_, mapped)) return false;
    const StoppedCalls call(stopped, site_);
    for (const AddressRange& range : ranges)
      call.must("munmap", SYS_munmap, {range.begin, range.end - range.begin});
    return true;
  }

  // Drops the process's private copies of pages that are again equal to the file.
  void forget_pages() {
    std::vector<std::uint64_t> same;
    const auto mapped = mapped_ranges(pid_);
    for (const std::uint64_t page : pages_)
      if (is_as_in_file(page, mapped)) same.push_back(page);
    constexpr std::size_t max_at_a_time = 8;
    for (std::size_t i = 0; i < same.size(); i += max_at_a_time) {
      while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) {
        const StoppedCalls call(stopped, site_);
        for (std::size_t j = i; j < std::min(same.size(), i + max_at_a_time); ++j)
          call(SYS_madvise, {same[j], page_bytes, MADV_DONTNEED});
      });
    }
  }

  [[nodiscard]] bool is_as_in_file(std::uint64_t page, const std::vector<MappedRange>& mapped) const try {
    for (const ProcessModule& module : modules_of(mapped)) {
      for (const MappedRange& range : module.ranges) {
        if (page < range.begin || page >= range.end) continue;
        const FileHandle file(::open(file_of(pid_, module).c_str(), O_RDONLY | O_CLOEXEC));
        std::array<std::byte, page_bytes> in_file{};  // bytes after the end of a file are mapped as zeros
        std::array<std::byte, page_bytes> in_memory{};
        const auto at = static_cast<::off_t>(range.offset + (page - range.begin));
        if (!file.valid() || ::pread(file.get(), in_file.data(), in_file.size(), at) <= 0) return false;
        memory_.read(page, in_memory);
        return in_file == in_memory;
      }
    }
    return false;
  } catch (const EnvironmentError&) {
    return false;  // the file was removed: the private page stays, with the right bytes
  }

  std::int32_t pid_;
  ProcessMemory memory_;
  const std::set<std::uint64_t>& inodes_;
  Removal& done_;
  CallSite site_;
  std::vector<ProbeArea> areas_;
  std::set<std::uint64_t> pages_;
};

void add(Removal& all, const Removal& one) {
  all.removed += one.removed;
  all.foreign += one.foreign;
  all.processes += one.processes;
  all.is_whole &= one.is_whole;
  all.longest_stop = std::max(all.longest_stop, one.longest_stop);
}

/// In the order of `wanted`. A child counts with the process whose region it has.
std::vector<InProcess<Removal>> remove_areas(const std::vector<AreasOfProcess>& wanted) {
  std::vector<InProcess<Removal>> done(wanted.size());
  std::set<std::uint64_t> inodes;
  for (const AreasOfProcess& one : wanted) inodes.insert(one.inodes.begin(), one.inodes.end());
  for_each_process_with(wanted, [&](std::int32_t process, std::size_t place) {
    Removal removal;
    try {
      Removing(process, inodes, removal).remove();
    } catch (const EnvironmentError& error) {
      if (process == wanted[place].pid && read_process_stat(process)) done[place].refusal = error.what();
    }
    add(done[place].done, removal);
  });
  return done;
}

void remove_areas(std::int32_t pid, const std::set<std::uint64_t>& inodes) {
  const auto done = remove_areas({{pid, inodes}});
  if (!done.front().refusal.empty()) throw EnvironmentError(done.front().refusal);
}

/// All regions that belong to other owners.
std::set<std::uint64_t> other_areas(std::int32_t pid, const std::set<std::uint64_t>& kept) {
  std::set<std::uint64_t> others = area_inodes(pid);
  for (const std::uint64_t inode : kept) others.erase(inode);
  return others;
}

void require_no_other_owner(std::int32_t pid, std::int32_t owner) {
  for (const ProbeArea& area : areas_in(ProcessMemory(pid), mapped_ranges(pid))) {
    if (!area.header || area.header->owner_pid == owner) continue;
    if (is_alive(area.header->owner_pid, area.header->owner_start_ticks))
      throw EnvironmentError(
          fmt::format("process {} has probes of another eventspace that is running (process {})", pid,
                      area.header->owner_pid));
  }
}

}  // namespace

Placement place_here(std::int32_t pid, const ProbesPlan& plan, const ProbeOwner& owner) {
  require_patchable(pid, owner.pid);
  require_no_other_owner(pid, owner.pid);
  const std::set<std::uint64_t> own = area_inodes_of(pid, owner);
  if (own.size() >= max_own_areas)
    throw EnvironmentError(fmt::format(
        "process {} already got probes {} times from this process; remove them first", pid, own.size()));
  remove_areas(pid, other_areas(pid, own));  // removes probes that a killed tool has left
  try {
    Placement placement = ProbePlacing(pid, plan, owner).place();
    // A thread may have executed the last system call of a killed tool only now, as it had no processor
    // before.
    remove_areas(pid, other_areas(pid, area_inodes_of(pid, owner)));
    placement.areas = other_areas(pid, own);
    return placement;
  } catch (const EnvironmentError&) {
    remove_areas(pid, other_areas(pid, own));
    throw;
  }
}

std::vector<InProcess<Removal>> remove_here(const std::vector<std::int32_t>& pids,
                                            const std::optional<ProbeOwner>& owner) {
  std::vector<AreasOfProcess> wanted;
  std::vector<std::string> refusals;
  for (const std::int32_t pid : pids) {
    wanted.push_back({pid, {}});
    refusals.emplace_back();
    try {
      if (!read_process_stat(pid)) continue;
      wanted.back().inodes = area_inodes(pid);
      if (owner && !wanted.back().inodes.empty()) wanted.back().inodes = area_inodes_of(pid, *owner);
    } catch (const EnvironmentError& error) {
      refusals.back() = error.what();
    }
  }
  auto done = remove_areas(wanted);
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!refusals[i].empty()) done[i].refusal = refusals[i];
  return done;
}

std::vector<InProcess<Removal>> remove_here(std::int32_t pid, const std::set<std::uint64_t>& areas) {
  return remove_areas({{pid, areas}});
}

}  // namespace eventspace
