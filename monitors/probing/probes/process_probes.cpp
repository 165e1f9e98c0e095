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
#include <span>

#include <eventspace/error.h>
#include "monitors/probing/probes/probe_patching.h"
#include "monitors/probing/probes/process_probes_layout.h"
#include "monitors/probing/tracing/work_first.h"
#include "tuplespace/processes/process_stat.h"
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

template <class T>
std::string packed(const T& result) {
  const std::vector<std::byte> bytes = wire::encoded(result);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Throws EnvironmentError if the result is not whole.
template <class T>
T unpacked(const std::string& text) {
  auto result = wire::decoded<T>(std::as_bytes(std::span(text)));
  if (!result) throw EnvironmentError(was_killed);
  return *std::move(result);
}

/// Does the work for `count` processes in a separate process.
template <class Done, class Work>
std::vector<InProcess<Done>> done_apart(std::size_t count, Work work) {
  const std::string results = apart([&] {
    const WorkingLock lock;
    return packed(work());
  });
  auto all = unpacked<std::vector<InProcess<Done>>>(results);
  if (all.size() != count) throw EnvironmentError(was_killed);
  return all;
}

template <class Done>
Done only_one(const std::vector<InProcess<Done>>& all) {
  if (!all.at(0).refusal.empty()) throw EnvironmentError(all[0].refusal);
  return all[0].done;
}

ProbeOwner this_process() { return {::getpid(), own_start_ticks()}; }

}  // namespace

std::string_view done_text(ProbeState to) noexcept {
  switch (to) {
    case ProbeState::on:
      return "switched on";
    case ProbeState::off:
      return "switched off";
    case ProbeState::removed:
      break;
  }
  return "removed";
}

Placement place_probes(std::int32_t pid, const ProbesPlan& plan) {
  const ProbeOwner owner = this_process();
  std::array<int, 2> ends{-1, -1};
  (void)::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());  // without it, none is kept
  const FileHandle in(ends[0]);
  const FileHandle out(ends[1]);
  auto placement = unpacked<Placement>(apart([&] {
    const WorkingLock lock;
    const Placement done = place_here(pid, plan, owner);
    done.kept.send_to(out.get());
    return packed(done);
  }));
  placement.kept.receive_from(in.get());
  return placement;
}

std::vector<InProcess<Removal>> remove_probes(const std::vector<std::int32_t>& pids) {
  return done_apart<Removal>(pids.size(), [&] { return remove_here(pids); });
}

std::vector<InProcess<Removal>> remove_own_probes(const std::vector<std::int32_t>& pids) {
  const ProbeOwner owner = this_process();
  return done_apart<Removal>(pids.size(), [&] { return remove_here(pids, owner); });
}

Removal remove_probes_in(std::int32_t pid, const std::set<std::uint64_t>& areas) {
  return only_one(done_apart<Removal>(1, [&] { return remove_here(pid, areas); }));
}

std::vector<InProcess<SwitchedProbes>> switch_probes(const std::map<std::int32_t, ProbeSwitch>& orders) {
  return done_apart<SwitchedProbes>(orders.size(), [&] { return switch_here(orders); });
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
  tids.reserve(all.size());
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
