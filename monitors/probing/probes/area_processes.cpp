#include "monitors/probing/probes/area_processes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "monitors/probing/processes/open_files.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"

namespace eventspace {
namespace {

std::vector<std::int32_t> processes_with(const std::set<std::uint64_t>& inodes) {
  std::vector<std::int32_t> found;
  for (const ProcessName& process : processes_here()) {
    try {
      const auto has = area_inodes(process.pid);
      if (std::ranges::any_of(has, [&](std::uint64_t inode) { return inodes.contains(inode); }))
        found.push_back(process.pid);
    } catch (const EnvironmentError&) {
      // Another user's, or it has ended.
    }
  }
  return found;
}

}  // namespace

std::set<std::uint64_t> area_inodes(std::int32_t pid) {
  std::set<std::uint64_t> inodes;
  const std::string path = std::string("/memfd:") + ProbeArea::file_name;
  for (const MappedRange& range : mapped_ranges(pid))
    if (range.path == path) inodes.insert(range.inode);
  for (const OpenFile& file : open_files_of(pid))
    if (file.path.starts_with(path + " ")) inodes.insert(file.inode);
  return inodes;
}

std::set<std::uint64_t> area_inodes_of(std::int32_t pid, const ProbeOwner& owner) {
  std::set<std::uint64_t> inodes;
  for (const ProbeArea& area : areas_in(ProcessMemory(pid), mapped_ranges(pid)))
    if (area.header && area.header->owner_pid == owner.pid &&
        area.header->owner_start_ticks == owner.start_ticks)
      inodes.insert(area.inode);
  return inodes;
}

void for_each_process_with(const std::set<std::uint64_t>& inodes, std::int32_t pid,
                           const std::function<void(std::int32_t process)>& work) {
  // A child may be forked from a process that is not done yet, while others are: until a round finds no new
  // one.
  constexpr int most_rounds = 32;
  std::set<std::int32_t> seen;
  for (int round = 0; round < most_rounds; ++round) {
    const std::size_t known = seen.size();
    for (const std::int32_t process : processes_with(inodes)) {
      if (!seen.insert(process).second) continue;
      try {
        work(process);
      } catch (const EnvironmentError&) {
        if (process == pid && read_process_stat(pid)) throw;
      }
    }
    if (seen.size() == known) break;
  }
}

}  // namespace eventspace
