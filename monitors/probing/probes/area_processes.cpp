#include "monitors/probing/probes/area_processes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/processes/open_files.h"
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace {

/// Searches the processes of this machine for forked children, each process once.
class ChildSearch {
 public:
  explicit ChildSearch(const std::vector<AreasOfProcess>& wanted) {
    for (std::size_t place = 0; place < wanted.size(); ++place)
      for (const std::uint64_t inode : wanted[place].inodes) places_.emplace(inode, place);
  }

  /// Returns whether the process is new. It is also new if it has the id of another one, which has ended.
  bool note(std::int32_t pid) {
    const auto stat = read_process_stat(pid);
    if (!stat) return false;
    const auto [known, is_new] = started_.emplace(pid, stat->start_ticks);
    return is_new || std::exchange(known->second, stat->start_ticks) != stat->start_ticks;
  }

  /// The new processes that have one of the regions, each with the index of the wanted process. A process
  /// gets a region only when the tool makes one, or when it is forked, so one without a region never needs a
  /// second check.
  std::vector<std::pair<std::int32_t, std::size_t>> new_ones() {
    std::vector<std::pair<std::int32_t, std::size_t>> found;
    for (const std::int32_t pid : process_ids_here()) {
      if (!note(pid)) continue;
      if (const auto place = place_of(pid)) found.emplace_back(pid, *place);
    }
    return found;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> place_of(std::int32_t pid) const try {
    for (const std::uint64_t inode : area_inodes(pid))
      if (const auto place = places_.find(inode); place != places_.end()) return place->second;
    return std::nullopt;
  } catch (const EnvironmentError&) {
    return std::nullopt;  // it belongs to another user, is a kernel thread, or has ended
  }

  std::map<std::uint64_t, std::size_t> places_;    // indices in `wanted`, by inode
  std::map<std::int32_t, std::uint64_t> started_;  // known processes with their start times
};

}  // namespace

std::set<std::uint64_t> area_inodes(std::int32_t pid) {
  std::set<std::uint64_t> inodes;
  const std::string path = std::string("/memfd:") + ProbeArea::file_name;
  for (const MappedRange& range : mapped_ranges(pid))
    if (range.path == path) inodes.insert(range.inode);
  // A tool that keeps the counters has the file open for reading only (kept_memory.h); it does not have
  // probes.
  for (const OpenFile& file : open_files_of(pid, path + " "))
    if (file.is_writable) inodes.insert(file.inode);
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

void for_each_process_with(const std::vector<AreasOfProcess>& wanted,
                           const std::function<void(std::int32_t process, std::size_t place)>& work) {
  ChildSearch search(wanted);
  bool is_any_wanted = false;
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    if (wanted[place].inodes.empty() || !search.note(wanted[place].pid)) continue;
    is_any_wanted = true;
    work(wanted[place].pid, place);
  }
  // A process that is not done yet may fork while others are worked on, so this repeats until a round finds
  // no new child. The second round inspects few processes only.
  constexpr int min_rounds = 2;
  constexpr int max_rounds = 32;
  bool has_new = is_any_wanted;
  for (int round = 0; is_any_wanted && round < max_rounds && (has_new || round < min_rounds); ++round) {
    const auto children = search.new_ones();
    has_new = !children.empty();
    for (const auto& [process, place] : children) work(process, place);
  }
}

}  // namespace eventspace
