#include "monitors/probing/probes/probe_surgery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "monitors/probing/probes/probe_placing.h"
#include "monitors/probing/probes/record_mapping.h"
#include "monitors/probing/tracing/stopped_calls.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

constexpr std::uint64_t page_bytes = 4096;

class Removing {
 public:
  /// Of the areas with these inodes.
  Removing(std::int32_t pid, const std::set<std::uint64_t>& inodes, Removal& done)
      : pid_(pid), memory_(pid), inodes_(inodes), done_(done) {}

  void remove() {
    areas_ = areas_in(memory_, mapped_ranges(pid_));
    std::erase_if(areas_, [&](const ProbeArea& area) { return !inodes_.contains(area.inode); });
    if (areas_.empty()) return;
    ++done_.processes;
    syscall_ = syscall_instruction(memory_, mapped_ranges(pid_));
    while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess&) { restore(); });
    for (int attempt = 0; attempt < most_stops; ++attempt) {
      bool is_free = false;
      while_stopped(pid_, done_.longest_stop,
                    [&](const StoppedProcess& stopped) { is_free = unmap(stopped); });
      if (is_free) return forget_pages();
      std::this_thread::sleep_for(pause_between_stops);
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
    const auto jump = jump_code(entry.address, entry.trampoline);
    std::array<std::byte, probe_jump_bytes> now{};
    memory_.read(entry.address, now);
    const auto original = std::as_bytes(std::span(entry.original)).first(probe_jump_bytes);
    if (std::equal(now.begin(), now.end(), original.begin()))
      return;  // the tool was killed before it wrote the jump
    if (!jump || now != *jump) {
      ++done_.foreign;
      return;
    }
    memory_.write(entry.address, original);
    if (entry.is_exit == 0) ++done_.removed;
    for (const std::uint64_t address : {entry.address, entry.address + probe_jump_bytes - 1})
      pages_.insert(address & ~(page_bytes - 1));
  }

  // Returns false if a thread is in the memory of the probes, or may come back there.
  bool unmap(const StoppedProcess& stopped) {
    std::vector<AddressRange> ranges;
    std::vector<AddressRange> code;
    const auto mapped = mapped_ranges(pid_);
    for (const ProbeArea& area : areas_) {
      if (area.header)
        for (const AddressRange& range : record_mappings(*area.header, mapped)) ranges.push_back(range);
      for (const MappedRange& mapping : area.mappings) {
        ranges.push_back({mapping.begin, mapping.end});
        if (mapping.is_executable) code.push_back(ranges.back());
      }
    }
    if (done_.foreign > 0 || stopped.is_in(code, memory_, mapped)) return false;
    const StoppedCalls call(stopped, syscall_);
    for (const AddressRange& range : ranges)
      call.must("munmap", SYS_munmap, {range.begin, range.end - range.begin});
    return true;
  }

  // Lets go of the process's own copies of pages that are again as in the file.
  void forget_pages() {
    std::vector<std::uint64_t> same;
    const auto mapped = mapped_ranges(pid_);
    for (const std::uint64_t page : pages_)
      if (is_as_in_file(page, mapped)) same.push_back(page);
    constexpr std::size_t most_at_a_time = 8;
    for (std::size_t i = 0; i < same.size(); i += most_at_a_time) {
      while_stopped(pid_, done_.longest_stop, [&](const StoppedProcess& stopped) {
        const StoppedCalls call(stopped, syscall_);
        for (std::size_t j = i; j < std::min(same.size(), i + most_at_a_time); ++j)
          call(SYS_madvise, {same[j], page_bytes, MADV_DONTNEED});
      });
    }
  }

  [[nodiscard]] bool is_as_in_file(std::uint64_t page, const std::vector<MappedRange>& mapped) const try {
    for (const ProcessModule& module : modules_of(mapped)) {
      for (const MappedRange& range : module.ranges) {
        if (page < range.begin || page >= range.end) continue;
        const FileHandle file(::open(file_of(pid_, module).c_str(), O_RDONLY | O_CLOEXEC));
        std::array<std::byte, page_bytes> in_file{};  // what is behind the end of a file is mapped as zeros
        std::array<std::byte, page_bytes> in_memory{};
        const auto at = static_cast<::off_t>(range.offset + (page - range.begin));
        if (!file.valid() || ::pread(file.get(), in_file.data(), in_file.size(), at) <= 0) return false;
        memory_.read(page, in_memory);
        return in_file == in_memory;
      }
    }
    return false;
  } catch (const EnvironmentError&) {
    return false;  // the file was removed: the page stays, with the right bytes
  }

  std::int32_t pid_;
  ProcessMemory memory_;
  const std::set<std::uint64_t>& inodes_;
  Removal& done_;
  std::uint64_t syscall_{0};
  std::vector<ProbeArea> areas_;
  std::set<std::uint64_t> pages_;
};

/// The inodes of the areas that the process has mapped.
std::set<std::uint64_t> area_inodes(std::int32_t pid) {
  std::set<std::uint64_t> inodes;
  const std::string path = fmt::format("/memfd:{}", ProbeArea::file_name);
  for (const MappedRange& range : mapped_ranges(pid))
    if (range.path == path) inodes.insert(range.inode);
  return inodes;
}

/// Of those areas, the ones of this owner.
std::set<std::uint64_t> area_inodes_of(std::int32_t pid, const ProbeOwner& owner) {
  std::set<std::uint64_t> inodes;
  for (const ProbeArea& area : areas_in(ProcessMemory(pid), mapped_ranges(pid))) {
    if (area.header && area.header->owner_pid == owner.pid &&
        area.header->owner_start_ticks == owner.start_ticks)
      inodes.insert(area.inode);
  }
  return inodes;
}

/// Forked children have the same probes in their copies of the code.
std::vector<std::int32_t> processes_with(const std::set<std::uint64_t>& inodes) {
  std::vector<std::int32_t> found;
  for (const ProcessName& process : processes_here()) {
    try {
      for (const std::uint64_t inode : area_inodes(process.pid)) {
        if (!inodes.contains(inode)) continue;
        found.push_back(process.pid);
        break;
      }
    } catch (const EnvironmentError&) {
      // Another user's, or it has ended.
    }
  }
  return found;
}

void require_no_other_owner(std::int32_t pid, std::int32_t owner) {
  for (const ProbeArea& area : areas_in(ProcessMemory(pid), mapped_ranges(pid))) {
    if (!area.header || area.header->owner_pid == owner) continue;
    if (is_alive(area.header->owner_pid, area.header->owner_start_ticks))
      throw EnvironmentError(
          fmt::format("process {} has probes of another eventspace, which runs (process {})", pid,
                      area.header->owner_pid));
  }
}

}  // namespace

Placement place_here(std::int32_t pid, const ProbesPlan& plan, const ProbeOwner& owner) {
  require_patchable(pid, owner.pid);
  require_no_other_owner(pid, owner.pid);
  remove_here(pid);  // what was left by one that was killed
  try {
    return ProbePlacing(pid, plan, owner).place();
  } catch (const EnvironmentError&) {
    remove_here(pid);
    throw;
  }
}

Removal remove_here(std::int32_t pid, const std::optional<ProbeOwner>& owner) {
  Removal done;
  if (!read_process_stat(pid)) return done;
  std::set<std::uint64_t> inodes = area_inodes(pid);
  if (owner && !inodes.empty()) inodes = area_inodes_of(pid, *owner);
  if (inodes.empty()) return done;
  // A child may be forked from a process that still has probes, while others lose theirs: until a round finds
  // no new one.
  constexpr int most_rounds = 32;
  std::set<std::int32_t> seen;
  for (int round = 0; round < most_rounds; ++round) {
    const std::size_t known = seen.size();
    for (const std::int32_t process : processes_with(inodes)) {
      if (!seen.insert(process).second) continue;
      try {
        Removing(process, inodes, done).remove();
      } catch (const EnvironmentError&) {
        // A child that has ended meanwhile has nothing to be removed; the process that was asked for does not
        // go unseen.
        if (process == pid && read_process_stat(pid)) throw;
      }
    }
    if (seen.size() == known) break;
  }
  return done;
}

}  // namespace eventspace
