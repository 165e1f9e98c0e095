#include "monitors/probing/probes/process_probes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <sstream>

#include "monitors/probing/probes/probe_surgery.h"
#include "monitors/probing/tracing/work_first.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/runtime_directory.h"

namespace eventspace {
namespace {

constexpr char fine_mark = '+';

/// What the process apart says: its result behind fine_mark, or the reason why it has none.
std::string said_by(const std::function<std::string()>& work) noexcept try {
  return fine_mark + work();
} catch (const std::exception& error) {
  return error.what();
}

[[noreturn]] void work_apart(int out, const std::function<std::string()>& work) {
  (void)::setsid();  // what is sent to this process's terminal or group does not reach it
  (void)std::signal(SIGPIPE, SIG_IGN);
  work_first();
  const std::string said = said_by(work);
  for (std::size_t at = 0; at < said.size();) {
    const ::ssize_t put = ::write(out, said.data() + at, said.size() - at);
    if (put <= 0) break;  // nobody listens any more
    at += static_cast<std::size_t>(put);
  }
  ::_exit(0);
}

std::string read_all(int in) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (;;) {
    const ::ssize_t got = ::read(in, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

/// Does the work in a copy of this process, which ends it even if this process is killed. Returns its result;
/// throws EnvironmentError with its message.
std::string apart(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw EnvironmentError::from_errno("cannot make a pipe", errno);
  const FileHandle in(ends[0]);
  FileHandle out(ends[1]);
  const ::pid_t child = ::fork();
  if (child == 0) work_apart(out.get(), work);
  const int error_number = errno;
  out = FileHandle();
  if (child < 0) throw EnvironmentError::from_errno("cannot start a process", error_number);
  const std::string said = read_all(in.get());
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!said.starts_with(fine_mark))
    throw EnvironmentError(said.empty() ? "the process that works on others was killed" : said);
  return said.substr(1);
}

std::string text_of(const Placement& placement) {
  std::string text =
      fmt::format("{} {} {}\n", placement.longest_stop.count(), placement.rings, placement.variables);
  for (const PlacedProbe& probe : placement.probes)
    text += fmt::format("{} {} {}\n", probe.counters, probe.measures, probe.refusal);
  return text;
}

Placement placement_in(const std::string& text) {
  std::istringstream lines(text);
  Placement placement;
  std::int64_t stop = 0;
  lines >> stop >> placement.rings >> placement.variables;
  placement.longest_stop = std::chrono::nanoseconds(stop);
  for (PlacedProbe probe; lines >> probe.counters >> probe.measures;) {
    lines.get();  // the blank
    std::getline(lines, probe.refusal);
    placement.probes.push_back(probe);
  }
  return placement;
}

std::string text_of(const Removal& removal) {
  return fmt::format("{} {} {} {} {}", removal.removed, removal.foreign, removal.processes,
                     removal.is_whole ? 1 : 0, removal.longest_stop.count());
}

Removal removal_in(const std::string& text) {
  std::istringstream words(text);
  Removal removal;
  std::int64_t stop = 0;
  words >> removal.removed >> removal.foreign >> removal.processes >> removal.is_whole >> stop;
  removal.longest_stop = std::chrono::nanoseconds(stop);
  return removal;
}

std::string text_of(const SwitchedProbes& switched) {
  return fmt::format("{} {} {} {} {} {}", switched.probes, switched.changed, switched.foreign,
                     switched.waiting, switched.processes, switched.longest_stop.count());
}

SwitchedProbes switched_in(const std::string& text) {
  std::istringstream words(text);
  SwitchedProbes switched;
  std::int64_t stop = 0;
  words >> switched.probes >> switched.changed >> switched.foreign >> switched.waiting >>
      switched.processes >> stop;
  switched.longest_stop = std::chrono::nanoseconds(stop);
  return switched;
}

/// Tools of this user work on processes one after the other: two that begin at the same time would each take
/// the other's probes for left ones. Without the file, as where no directory can be had, they do not wait.
class WorkingLock {
 public:
  WorkingLock() {
    try {
      const auto path = runtime_directory() / "probing.lock";
      file_ = FileHandle(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    } catch (const EnvironmentError&) {
      return;
    }
    while (file_.valid() && ::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  FileHandle file_;
};

ProbeOwner this_process() { return {::getpid(), own_start_ticks()}; }

}  // namespace

Placement place_probes(std::int32_t pid, const ProbesPlan& plan) {
  const ProbeOwner owner = this_process();
  return placement_in(apart([&] {
    const WorkingLock lock;
    return text_of(place_here(pid, plan, owner));
  }));
}

Removal remove_probes(std::int32_t pid) {
  return removal_in(apart([&] {
    const WorkingLock lock;
    return text_of(remove_here(pid));
  }));
}

Removal remove_own_probes(std::int32_t pid) {
  const ProbeOwner owner = this_process();
  return removal_in(apart([&] {
    const WorkingLock lock;
    return text_of(remove_here(pid, owner));
  }));
}

SwitchedProbes switch_probes(std::int32_t pid, const ProbeSwitch& order) {
  return switched_in(apart([&] {
    const WorkingLock lock;
    return text_of(switch_here(pid, order));
  }));
}

bool has_own_probes(std::int32_t pid) try {
  const ProbeOwner owner = this_process();
  return std::ranges::any_of(areas_in(ProcessMemory(pid), mapped_ranges(pid)), [&](const ProbeArea& area) {
    return area.header && area.header->owner_pid == owner.pid &&
           area.header->owner_start_ticks == owner.start_ticks;
  });
} catch (const EnvironmentError&) {
  return false;
}

std::optional<std::uint64_t> calls_counted(const ProcessMemory& memory, std::uint64_t counters) {
  std::array<std::byte, ProbeCounters::bytes> bytes{};
  if (memory.read_some(counters, bytes) != bytes.size()) return std::nullopt;
  std::uint64_t calls = 0;
  for (std::size_t line = 0; line < ProbeCounters::lines; ++line) {
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data() + line * 64, sizeof count);
    calls += count;
  }
  return calls;
}

std::optional<std::vector<std::int32_t>> recording_threads(const ProcessMemory& memory, std::uint64_t rings) {
  std::array<recorded::Ring, recorded::most_rings> all{};
  const auto bytes = std::as_writable_bytes(std::span(all));
  if (memory.read_some(rings, bytes) != bytes.size()) return std::nullopt;
  std::vector<std::int32_t> tids;
  for (const recorded::Ring& ring : all) tids.push_back(ring.tid);
  return tids;
}

std::optional<std::vector<std::uint64_t>> variables_of(const ProcessMemory& memory, std::uint64_t variables) {
  std::array<std::byte, measuring::most_variables * measuring::variable_bytes> bytes{};
  if (memory.read_some(variables, bytes) != bytes.size()) return std::nullopt;
  std::vector<std::uint64_t> values(measuring::most_variables);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], bytes.data() + i * measuring::variable_bytes, sizeof values[i]);
  return values;
}

std::optional<MeasuredCalls> calls_measured(const ProcessMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values) {
  std::vector<std::byte> bytes(ProbeArea::measures_bytes);
  if (memory.read_some(measures, bytes) != bytes.size()) return std::nullopt;
  return measured_in(bytes, real_values);
}

}  // namespace eventspace
