#include "tuplespace/processes/process_sight.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "tuplespace/parsing/number_in.h"
#include "tuplespace/system/file_beginning.h"

namespace eventspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t of_no_process_here = std::uint64_t{1} << 63;

NamespaceIds ids_of(const std::string& directory) {
  return namespace_ids_in(beginning_of_file(directory + "/status", 8192));
}

// A process whose /proc belongs to an outer namespace has several ids there.
bool has_own_proc() { return ids_of("/proc/self").count <= 1; }

std::optional<std::int32_t> number_in_name(const fs::path& file) {
  return number_in<std::int32_t>(file.filename().string());
}

// Calls `visit` with the number and the path of each entry that is named by a number, until it returns true.
template <class Visit>
void visit_numbers(const std::string& directory, Visit visit) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const auto number = number_in_name(it->path());
    if (number && visit(*number, it->path().string())) return;
  }
}

std::uint64_t inode_of(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

NamespaceIds namespace_ids_in(std::string_view status) {
  constexpr std::string_view name = "\nNSpid:";
  const std::size_t begin = status.find(name);
  if (begin == std::string_view::npos) return {};
  std::string_view line = status.substr(begin + name.size());
  line = line.substr(0, line.find('\n'));
  NamespaceIds ids;
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  while (at != end) {
    if (*at == ' ' || *at == '\t') {
      ++at;
      continue;
    }
    const auto [next, error] = std::from_chars(at, end, ids.innermost);
    if (error != std::errc()) return {};
    ++ids.count;
    at = next;
  }
  return ids;
}

ProcessSight::ProcessSight(const ProcessIdentity& process)
    : process_(process),
      here_(own_origin()),
      has_ids_of_here_(is_same_pid_namespace(process.origin, here_) && has_own_proc()),
      pid_(process.pid),
      start_ticks_(process.start_ticks) {
  if (has_ids_of_here_) {
    main_ = MainThread(pid_);
  } else if (is_same_boot(process.origin, here_)) {
    find_in_other_namespace();
  }
  if (main_.found()) {
    adopt_start();
  } else if (!has_ids_of_here_) {
    start_ticks_ |= of_no_process_here;
  }
}

// A process without an id in the namespace of this process's /proc is not in it.
void ProcessSight::find_in_other_namespace() {
  visit_numbers("/proc", [this](std::int32_t number, const std::string& directory) {
    if (inode_of(directory + "/ns/pid") != process_.origin.pid_namespace) return false;
    if (ids_of(directory).innermost != process_.pid) return false;
    MainThread found(number);
    const auto stat = found.stat();
    if (!stat || !stat->is_known() || !is_it(*stat)) return false;
    pid_ = number;
    main_ = std::move(found);
    return true;
  });
}

// The kernel shows start times in the time namespace of the process that reads them.
void ProcessSight::adopt_start() {
  if (is_same_time_namespace(process_.origin, here_)) return;
  const auto stat = main_.stat();
  if (stat && stat->is_known() && is_it(*stat)) start_ticks_ = stat->start_ticks;
}

// The start in another time namespace may be rounded to the other clock tick; if it cannot be compared, the
// id and the lock must suffice.
bool ProcessSight::is_it(const ProcessStat& stat) const noexcept {
  if (is_same_time_namespace(process_.origin, here_)) return stat.start_ticks == process_.start_ticks;
  if (process_.origin.has_offsets == 0 || here_.has_offsets == 0) return true;
  const std::int64_t ns_per_tick = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  const auto shift =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(here_.boottime_offset_ns) -
                                static_cast<std::uint64_t>(process_.origin.boottime_offset_ns));
  const std::uint64_t expected = process_.start_ticks + static_cast<std::uint64_t>(shift / ns_per_tick);
  const auto difference = static_cast<std::int64_t>(stat.start_ticks - expected);
  return difference >= -1 && difference <= 1;
}

// A process of another boot may run on another machine, whose locks are not visible on all file systems.
Presence ProcessSight::judge(FileLock lock) const noexcept {
  if (lock == FileLock::held) return Presence::hidden;
  const bool would_show = lock == FileLock::free || is_same_boot(process_.origin, here_);
  return process_.origin.has_lock != 0 && would_show ? Presence::gone : Presence::unknown;
}

Presence ProcessSight::look(const std::function<FileLock()>& lock) const {
  if (process_.pid == 0) return Presence::gone;
  const bool is_shown = has_ids_of_here_ || main_.found();
  if (!is_shown) return judge(lock());
  const auto stat = main_.stat();
  if (stat && !stat->is_known()) return Presence::running;  // assumed, because nothing contradicts it
  if (!stat || !is_it(*stat) || !stat->is_alive_since(stat->start_ticks)) return Presence::gone;
  const bool is_certain = is_same_time_namespace(process_.origin, here_) ||
                          (process_.origin.has_offsets != 0 && here_.has_offsets != 0);
  if (!is_certain && judge(lock()) == Presence::gone) return Presence::gone;
  return stat->state == 'T' || stat->state == 't' ? Presence::stopped : Presence::running;
}

std::int32_t ProcessSight::tid(std::int32_t tid) const {
  if (has_ids_of_here_ || tid == 0) return tid;
  if (!main_.found()) return 0;
  const std::lock_guard lock(mutex_);
  const auto known = tids_.find(tid);
  if (known != tids_.end()) return known->second;
  visit_numbers(fmt::format("/proc/{}/task", pid_),
                [this](std::int32_t number, const std::string& directory) {
                  const NamespaceIds ids = ids_of(directory);
                  if (ids.count > 0) tids_.insert_or_assign(ids.innermost, number);
                  return false;
                });
  return tids_.try_emplace(tid, 0).first->second;
}

Presence presence_of(const ProcessIdentity& process, const std::function<FileLock()>& lock) {
  return ProcessSight(process).look(lock);
}

}  // namespace eventspace
