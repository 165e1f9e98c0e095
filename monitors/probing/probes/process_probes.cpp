#include "monitors/probing/probes/process_probes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <sstream>

#include "monitors/probing/probes/probe_patching.h"
#include "monitors/probing/tracing/work_first.h"
#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/error.h"
#include "tuplespace/system/mapping.h"
#include "tuplespace/system/runtime_directory.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {
namespace {

constexpr char fine_mark = '+';
constexpr const char* was_killed = "the process that patches programs was killed";

/// The output of the separate process: fine_mark and its result, or the reason of a failure.
std::string said_by(const std::function<std::string()>& work) noexcept try {
  return fine_mark + work();
} catch (const std::exception& error) {
  return error.what();
}

[[noreturn]] void work_apart(int out, const std::function<std::string()>& work) {
  (void)::setsid();  // signals to this process's terminal or group do not reach it
  (void)std::signal(SIGPIPE, SIG_IGN);
  work_first();
  const std::string said = said_by(work);
  (void)write_fully(out, std::as_bytes(std::span(said)));  // fails if the reader is gone
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

/// Does the work in a forked copy of this process, which completes it even if this process is killed. Returns
/// its result; throws EnvironmentError with its message.
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
  if (!said.starts_with(fine_mark)) throw EnvironmentError(said.empty() ? was_killed : said);
  return said.substr(1);
}

std::string text_of(const Placement& placement) {
  std::string text = fmt::format("{} {} {} {}", placement.longest_stop.count(), placement.rings,
                                 placement.variables, placement.areas.size());
  for (const std::uint64_t area : placement.areas) text += fmt::format(" {}", area);
  text += '\n';
  for (const PlacedProbe& probe : placement.probes)
    text += fmt::format("{} {} {}\n", probe.counters, probe.measures, probe.refusal);
  return text;
}

Placement placement_in(const std::string& text) {
  std::istringstream lines(text);
  Placement placement;
  std::int64_t stop = 0;
  std::size_t areas = 0;
  lines >> stop >> placement.rings >> placement.variables >> areas;
  for (std::uint64_t area = 0; areas > 0 && lines >> area; --areas) placement.areas.insert(area);
  placement.longest_stop = std::chrono::nanoseconds(stop);
  for (PlacedProbe probe; lines >> probe.counters >> probe.measures;) {
    lines.get();  // the blank
    std::getline(lines, probe.refusal);
    placement.probes.push_back(probe);
  }
  return placement;
}

void write(std::ostream& text, const Removal& removal) {
  text << removal.removed << ' ' << removal.foreign << ' ' << removal.processes << ' ' << removal.is_whole
       << ' ' << removal.longest_stop.count();
}

void read(std::istream& text, Removal& removal) {
  std::int64_t stop = 0;
  text >> removal.removed >> removal.foreign >> removal.processes >> removal.is_whole >> stop;
  removal.longest_stop = std::chrono::nanoseconds(stop);
}

void write(std::ostream& text, const SwitchedProbes& switched) {
  text << switched.probes << ' ' << switched.changed << ' ' << switched.foreign << ' ' << switched.waiting
       << ' ' << switched.processes << ' ' << switched.longest_stop.count();
}

void read(std::istream& text, SwitchedProbes& switched) {
  std::int64_t stop = 0;
  text >> switched.probes >> switched.changed >> switched.foreign >> switched.waiting >> switched.processes >>
      stop;
  switched.longest_stop = std::chrono::nanoseconds(stop);
}

/// A line for each process.
template <class Done>
std::string text_of(const std::vector<InProcess<Done>>& all) {
  std::ostringstream text;
  for (const InProcess<Done>& one : all) {
    write(text, one.done);
    text << ' ' << one.refusal << '\n';
  }
  return text.str();
}

template <class Done>
std::vector<InProcess<Done>> done_in(const std::string& text, std::size_t count) {
  std::istringstream lines(text);
  std::vector<InProcess<Done>> all;
  for (InProcess<Done> one; read(lines, one.done), lines;) {
    lines.get();  // the blank
    std::getline(lines, one.refusal);
    all.push_back(one);
  }
  if (all.size() != count) throw EnvironmentError(was_killed);
  return all;
}

/// Makes tools of this user work on processes one after the other: two that begin at the same time would each
/// take the other's probes for leftovers. If the lock file cannot be made, for lack of a directory, they do
/// not wait.
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

template <class Done>
Done only_one(const std::vector<InProcess<Done>>& all) {
  if (!all.at(0).refusal.empty()) throw EnvironmentError(all[0].refusal);
  return all[0].done;
}

ProbeOwner this_process() { return {::getpid(), own_start_ticks()}; }

}  // namespace

Placement place_probes(std::int32_t pid, const ProbesPlan& plan) {
  const ProbeOwner owner = this_process();
  std::array<int, 2> ends{-1, -1};
  (void)::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());  // without it, none is kept
  const FileHandle in(ends[0]);
  const FileHandle out(ends[1]);
  Placement placement = placement_in(apart([&] {
    const WorkingLock lock;
    const Placement done = place_here(pid, plan, owner);
    done.kept.send_to(out.get());
    return text_of(done);
  }));
  placement.kept.receive_from(in.get());
  return placement;
}

std::vector<InProcess<Removal>> remove_probes(const std::vector<std::int32_t>& pids) {
  return done_in<Removal>(apart([&] {
                            const WorkingLock lock;
                            return text_of(remove_here(pids));
                          }),
                          pids.size());
}

std::vector<InProcess<Removal>> remove_own_probes(const std::vector<std::int32_t>& pids) {
  const ProbeOwner owner = this_process();
  return done_in<Removal>(apart([&] {
                            const WorkingLock lock;
                            return text_of(remove_here(pids, owner));
                          }),
                          pids.size());
}

Removal remove_probes_in(std::int32_t pid, const std::set<std::uint64_t>& areas) {
  return only_one(done_in<Removal>(apart([&] {
                                     const WorkingLock lock;
                                     return text_of(remove_here(pid, areas));
                                   }),
                                   1));
}

std::vector<InProcess<SwitchedProbes>> switch_probes(const std::map<std::int32_t, ProbeSwitch>& orders) {
  return done_in<SwitchedProbes>(apart([&] {
                                   const WorkingLock lock;
                                   return text_of(switch_here(orders));
                                 }),
                                 orders.size());
}

Removal remove_probes(std::int32_t pid) { return only_one(remove_probes(std::vector{pid})); }

Removal remove_own_probes(std::int32_t pid) { return only_one(remove_own_probes(std::vector{pid})); }

SwitchedProbes switch_probes(std::int32_t pid, const ProbeSwitch& order) {
  return only_one(switch_probes({{pid, order}}));
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

namespace {

template <class Memory>
std::optional<std::uint64_t> sum_of_counters(const Memory& memory, std::uint64_t counters) {
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

template <class Memory>
std::optional<std::vector<std::uint64_t>> values_of_variables(const Memory& memory, std::uint64_t variables) {
  std::array<std::byte, measuring::max_variables * measuring::variable_bytes> bytes{};
  if (memory.read_some(variables, bytes) != bytes.size()) return std::nullopt;
  std::vector<std::uint64_t> values(measuring::max_variables);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&values[i], bytes.data() + i * measuring::variable_bytes, sizeof values[i]);
  return values;
}

template <class Memory>
std::optional<MeasuredCalls> sum_of_measures(const Memory& memory, std::uint64_t measures,
                                             std::uint32_t real_values) {
  std::vector<std::byte> bytes(ProbeArea::measures_bytes);
  if (memory.read_some(measures, bytes) != bytes.size()) return std::nullopt;
  return measured_in(bytes, real_values);
}

}  // namespace

std::optional<std::uint64_t> calls_counted(const ProcessMemory& memory, std::uint64_t counters) {
  return sum_of_counters(memory, counters);
}
std::optional<std::uint64_t> calls_counted(const KeptMemory& memory, std::uint64_t counters) {
  return sum_of_counters(memory, counters);
}

std::optional<std::vector<std::int32_t>> recording_threads(const ProcessMemory& memory, std::uint64_t rings) {
  std::array<recorded::Ring, recorded::max_rings> all{};
  const auto bytes = std::as_writable_bytes(std::span(all));
  if (memory.read_some(rings, bytes) != bytes.size()) return std::nullopt;
  std::vector<std::int32_t> tids;
  for (const recorded::Ring& ring : all) tids.push_back(ring.tid);
  return tids;
}

std::optional<std::vector<std::uint64_t>> variables_of(const ProcessMemory& memory, std::uint64_t variables) {
  return values_of_variables(memory, variables);
}
std::optional<std::vector<std::uint64_t>> variables_of(const KeptMemory& memory, std::uint64_t variables) {
  return values_of_variables(memory, variables);
}

std::optional<MeasuredCalls> calls_measured(const ProcessMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values) {
  return sum_of_measures(memory, measures, real_values);
}
std::optional<MeasuredCalls> calls_measured(const KeptMemory& memory, std::uint64_t measures,
                                            std::uint32_t real_values) {
  return sum_of_measures(memory, measures, real_values);
}

}  // namespace eventspace
