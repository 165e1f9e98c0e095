// Probes in a running program: their cost for a call that begins when the previous one is done, compared with
// the floor of recording, uftrace and a uprobe of the kernel; the time to insert them; the time to list
// functions. The cost of a call is its time beyond a call without a probe, measured in turns with it.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <eventspace/error.h>
#include "bench/probes/target_block.h"
#include "monitors/probing/attaching/attached_segment.h"
#include "monitors/probing/symbols/module_symbols.h"
#include "monitors/probing/tracing/traced_process.h"
#include "monitors/probing/tracing/work_first.h"
#include "monitors/probing/work/module_list.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace::bench {
namespace {

namespace fs = std::filesystem;
constexpr const char* function = "=bench_target";

/// A process of the probed program.
class Target {
 public:
  explicit Target(const fs::path& program = PROBES_TARGET, std::uint32_t threads = 1) {
    static int number = 0;
    page_ = fs::temp_directory_path() / fmt::format("eventspace-bench-probes-{}-{}", ::getpid(), number++);
    const int file = ::open(page_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void* const memory = file < 0 || ::ftruncate(file, 4096) != 0
                             ? MAP_FAILED
                             : ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) throw EnvironmentError("cannot make a page that is shared with the target");
    block_ = new (memory) TargetBlock;
    block_->threads = threads;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execl(program.c_str(), program.c_str(), page_.c_str(), nullptr);
      ::_exit(127);
    }
    (void)ns_of_call(TargetBlock::calls);  // it runs
  }
  ~Target() {
    block_->is_over = 1;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(block_, 4096);
    fs::remove(page_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  /// The shortest of the next few blocks.
  double ns_of_call(TargetBlock::Mode mode) {
    constexpr int blocks = 5;
    block_->mode = mode;
    double best = 1e9;
    await_block();  // one may have begun in the other mode
    for (int i = 0; i < blocks; ++i) {
      await_block();
      best = std::min(best, block_->ns_of_call.load());
    }
    return best;
  }

 private:
  void await_block() {
    const std::uint64_t before = block_->blocks;
    for (int i = 0; block_->blocks == before; ++i) {
      if (i > 300000 || ::waitpid(pid_, nullptr, WNOHANG) == pid_)
        throw EnvironmentError("the target has ended, or does not go on");
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

  fs::path page_;
  TargetBlock* block_{nullptr};
  pid_t pid_{0};
};

/// Reports the additional cost of calls while `with` exists, in turns.
template <class Make>
void report_cost(benchmark::State& state, Make make, TargetBlock::Mode mode = TargetBlock::calls,
                 TargetBlock::Mode without = TargetBlock::calls) {
  try {
    Target target;
    for (auto unused : state) {
      (void)unused;
      const double plain = target.ns_of_call(without);
      const auto with = make(target.pid());
      const double more = target.ns_of_call(mode) - plain;
      state.SetIterationTime(std::max(more, 0.001) * 1e-9);
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

/// `callers`: if given, the probes are at the function's calls by these functions instead of in the function.
/// All probes have the task's lets, and with `has_lets_only` only these.
ProbedProcess probed(std::int32_t pid, const ProbeTask& task, const std::string& callers = {},
                     bool has_lets_only = false) {
  const CompiledTask compiled = compile_task(task);
  ProbePlan plan = plan_probes(pid, function, "probes_target", compiled.has_exits, nullptr, callers);
  for (PlannedFunction& one : plan.functions) {
    one.probe.lets = (1U << compiled.lets.size()) - 1;
    one.probe.has_lets_only = has_lets_only;
  }
  ProbedProcess process(pid, plan, compiled);
  if (process.functions().empty()) throw EnvironmentError("the function cannot have a probe");
  return process;
}

ProbeTask timed() {
  ProbeTask task;
  task.has_times = true;
  return task;
}

/// Probes that record in a segment.
struct Recorded {
  std::unique_ptr<AttachedSegment> segment;
  ProbedProcess process;
};

Recorded recorded(std::int32_t pid, const ProbeTask& task) {
  auto segment = std::make_unique<AttachedSegment>(fmt::format("bench-probes-{}", ::getpid()), "target:1");
  const CompiledTask compiled = compile_task(task);
  ProbePlan plan = plan_probes(pid, function, "probes_target", compiled.has_exits);
  for (PlannedFunction& one : plan.functions) one.probe.name = segment->number_of(one.function, {});
  const RecordedProbes where = segment->recorded();
  return {std::move(segment), ProbedProcess(pid, plan, compiled, where)};
}

struct Nothing {
  ~Nothing() {}  // an object, so that it is used
};

void floor_of_recording(benchmark::State& state) {
  report_cost(
      state, [](std::int32_t) { return Nothing(); }, TargetBlock::floor);
}

// --- peers ----------------------------------------------------------------------------------------------

/// A kernel's uprobe that counts, as long as the object exists.
class Uprobe {
 public:
  Uprobe() {
    find_tracefs();
    const ModuleSymbols symbols = read_module(PROBES_TARGET);
    for (const Function& one : symbols.functions)
      if (one.name == "bench_target") address_ = one.address;
    for (const ElfImage::Load& load : symbols.image.loads())
      if (symbols.image.is_code(load.address)) address_ -= load.address - load.offset;
    if (!write("uprobe_events", fmt::format("p:eventspace_bench/target {}:{:#x}", PROBES_TARGET, address_)) ||
        !write("events/eventspace_bench/target/enable", "1"))
      throw EnvironmentError("uprobes need root, and a kernel that has them");
  }
  ~Uprobe() {
    (void)write("events/eventspace_bench/target/enable", "0");
    (void)write("uprobe_events", "-:eventspace_bench/target");
  }
  Uprobe(const Uprobe&) = delete;
  Uprobe& operator=(const Uprobe&) = delete;

 private:
  // Mounts it for this process only, if it is not mounted.
  static void find_tracefs() {
    if (fs::exists("/sys/kernel/tracing/uprobe_events")) return;
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nullptr) != 0)
      throw EnvironmentError("uprobes need root, and a kernel with tracefs");
  }
  static bool write(const std::string& file, const std::string& text) {
    // A stream would seek to the end of the file, which does not exist.
    const int out = ::open(("/sys/kernel/tracing/" + file).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    const bool is_written = out >= 0 && ::write(out, text.data(), text.size()) > 0;
    ::close(out);
    return is_written;
  }
  std::uint64_t address_{0};
};

/// The first output of a command that ends, as a number.
double number_from(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  double number = 0;
  const int read = pipe == nullptr ? 0 : std::fscanf(pipe, "%lf", &number);
  if (pipe != nullptr) ::pclose(pipe);
  if (read != 1) throw EnvironmentError(fmt::format("`{}` gives no number", command));
  return number;
}

void uftrace(benchmark::State& state) {
  if (std::system("command -v uftrace > /dev/null 2>&1") != 0)
    return state.SkipWithError("uftrace is not installed (Debian: uftrace)");
  const fs::path data = fs::temp_directory_path() / fmt::format("eventspace-uftrace-{}", ::getpid());
  try {
    for (auto unused : state) {
      (void)unused;
      const double plain = number_from(PROBES_TARGET);
      const double with = number_from(
          fmt::format("uftrace record --no-libcall -P bench_target -d {} {}", data.string(), PROBES_TARGET));
      state.SetIterationTime(std::max(with - plain, 0.001) * 1e-9);
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
  fs::remove_all(data);
}

// --- attaching ------------------------------------------------------------------------------------------

std::vector<std::unique_ptr<Target>> targets(std::int64_t count) {
  std::vector<std::unique_ptr<Target>> all;
  for (std::int64_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Target>());
    ::kill(all.back()->pid(),
           SIGSTOP);  // so that they do not compete for the processors while being attached
  }
  return all;
}

enum class Step : std::uint8_t { attach, detach, stop };

void attach(benchmark::State& state, Step step) {
  using std::chrono::steady_clock;
  try {
    const auto all = targets(state.range(0));
    ModuleCache cache;
    for (auto unused : state) {
      (void)unused;
      std::vector<ProbedProcess> processes;
      std::chrono::nanoseconds longest{};
      const auto begun = steady_clock::now();
      for (const auto& target : all) {
        const ProbePlan plan = plan_probes(target->pid(), function, "probes_target", true, &cache);
        processes.emplace_back(target->pid(), plan, compile_task(timed()));
        longest = std::max(longest, processes.back().longest_stop());
      }
      const auto attached = steady_clock::now();
      std::vector<ProbedProcess*> attached_to;
      for (ProbedProcess& process : processes) attached_to.push_back(&process);
      for (const auto& [removal, refusal] : ProbedProcess::remove_all(attached_to))
        if (!refusal.empty()) throw EnvironmentError(refusal);
      const std::chrono::nanoseconds took = step == Step::attach   ? attached - begun
                                            : step == Step::detach ? steady_clock::now() - attached
                                                                   : longest;
      state.SetIterationTime(std::chrono::duration<double>(took).count());
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

constexpr std::size_t rounds_of_stops = 100;

double percentile_95(std::vector<std::chrono::nanoseconds> times) {
  std::ranges::sort(times);
  return std::chrono::duration<double>(times[times.size() * 95 / 100]).count();
}

/// How long threads are stopped when probes are put into a program with hot threads and taken out: the 95th
/// percentile of the longest stops of many rounds.
void stops(benchmark::State& state, std::uint32_t threads, Step step) {
  try {
    const Target target(PROBES_TARGET, threads);
    ModuleCache cache;
    const ProbePlan plan = plan_probes(target.pid(), function, "probes_target", true, &cache);
    for (auto unused : state) {
      (void)unused;
      std::vector<std::chrono::nanoseconds> longest;
      for (std::size_t i = 0; i < rounds_of_stops; ++i) {
        ProbedProcess process(target.pid(), plan, compile_task(timed()));
        const auto placed = process.longest_stop();
        const auto removed = process.remove().longest_stop;
        longest.push_back(step == Step::attach ? placed : removed);
      }
      state.SetIterationTime(percentile_95(std::move(longest)));
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

/// The bare parts of a stop: from the first order until the last thread is stopped, or from then until all
/// threads run again.
void bare_stops(benchmark::State& state, std::uint32_t threads, bool is_beginning) {
  using std::chrono::steady_clock;
  try {
    work_first();  // like the process that works on programs
    const Target target(PROBES_TARGET, threads);
    for (auto unused : state) {
      (void)unused;
      std::vector<std::chrono::nanoseconds> times;
      for (std::size_t i = 0; i < rounds_of_stops; ++i) {
        StoppedProcess stopped(target.pid());
        const std::chrono::nanoseconds beginning = steady_clock::now() - stopped.since();
        const std::chrono::nanoseconds whole = stopped.go_on();
        times.push_back(is_beginning ? beginning : whole - beginning);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // so that all threads have had a turn
      }
      state.SetIterationTime(percentile_95(std::move(times)));
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

// --- listing functions ----------------------------------------------------------------------------------

/// Copies of the target, each with a different build-id.
class Executables {
 public:
  explicit Executables(std::int64_t count) {
    fs::create_directory(folder_);
    std::ifstream in(PROBES_TARGET, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string id = bytes_of_id();
    const std::size_t at = id.empty() ? std::string::npos : bytes.find(id);
    for (std::int64_t i = 0; i < count; ++i) {
      std::string copy = bytes;
      if (at != std::string::npos) copy[at] = static_cast<char>(copy[at] + i);
      files_.push_back(folder_ / fmt::format("target{}", i));
      std::ofstream(files_.back(), std::ios::binary) << copy;
      fs::permissions(files_.back(), fs::perms::owner_all);
    }
  }
  ~Executables() { fs::remove_all(folder_); }
  Executables(const Executables&) = delete;
  Executables& operator=(const Executables&) = delete;
  [[nodiscard]] const std::vector<fs::path>& files() const noexcept { return files_; }

 private:
  static std::string bytes_of_id() {
    const std::string digits = read_module(PROBES_TARGET).build_id;
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
  }
  fs::path folder_ = fs::temp_directory_path() / fmt::format("eventspace-bench-executables-{}", ::getpid());
  std::vector<fs::path> files_;
};

/// Lists the functions of 64 processes: together, so that each file is read once, or one process after
/// another.
void list_functions(benchmark::State& state, std::int64_t executables, bool is_together) {
  constexpr std::int64_t processes = 64;
  try {
    const Executables files(executables);
    std::vector<std::unique_ptr<Target>> all;
    std::vector<std::int32_t> pids;
    for (std::int64_t i = 0; i < processes; ++i) {
      all.push_back(std::make_unique<Target>(files.files()[static_cast<std::size_t>(i % executables)]));
      pids.push_back(all.back()->pid());
      ::kill(pids.back(), SIGSTOP);
    }
    for (auto unused : state) {
      (void)unused;
      if (is_together) {
        benchmark::DoNotOptimize(modules_of_processes(pids, "").modules.size());
      } else {
        for (const std::int32_t pid : pids)
          benchmark::DoNotOptimize(modules_of_processes({pid}, "").modules.size());
      }
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

// --- all of them ----------------------------------------------------------------------------------------

void cost(const std::string& name, void (*measure)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Iterations(3);
}

void cost_beside_floor(const std::string& figure, void (*measure)(benchmark::State&)) {
  cost(figure + "/ours", measure);
  cost(figure + "/floor: two rdtsc and a 64-byte store", floor_of_recording);
}

// Probes at calls, real arguments, variables, phases.
void register_newer_kinds() {
  cost_beside_floor("probe: count at a call", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {}, "*"); });
  });
  cost_beside_floor("probe: times of a call", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, timed(), "*"); });
  });
  cost_beside_floor("probe: sum of an integer argument", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.values = {"arg1"}}); });
  });
  cost_beside_floor("probe: sum of a real argument", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.values = {"double0"}}); });
  });
  cost_beside_floor("probe: condition on an integer argument", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.when = "arg1 >= 0"}); });
  });
  cost_beside_floor("probe: condition on a real argument", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.when = "double0 > 1"}); });
  });
  cost_beside_floor("probe: one call in each millisecond", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.phase = std::chrono::milliseconds(1)}); });
  });
  cost_beside_floor("probe: an integer variable, nothing else", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.lets = {"x += 1 at y"}}, "", true); });
  });
  cost_beside_floor("probe: a real variable, nothing else", [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {.lets = {"x += 0.5 at y"}}, "", true); });
  });
}

void register_costs() {
  const auto counted = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, {}); });
  };
  const auto measured = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return probed(pid, timed()); });
  };
  const auto with_points = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return recorded(pid, {}); });
  };
  const auto with_records = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) { return recorded(pid, timed()); });
  };
  const auto switched_off = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) {
      ProbedProcess process = probed(pid, timed());
      (void)switch_probes(pid, {ProbeState::off, {}});
      return process;
    });
  };
  const auto removed = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t pid) {
      (void)probed(pid, timed()).remove();
      return Nothing();
    });
  };
  const auto uprobe = [](benchmark::State& state) {
    report_cost(state, [](std::int32_t) { return std::make_unique<Uprobe>(); });
  };
  for (const auto& [figure, measure] :
       {std::pair<const char*, void (*)(benchmark::State&)>{"probe: count at the entry", counted},
        {"probe: a record with time at the entry", with_points},
        {"probe: times of entry and exit", measured},
        {"probe: a record of entry and exit", with_records},
        {"probe: switched off", switched_off},
        {"probe: removed", removed}}) {
    cost(std::string(figure) + "/ours", measure);
    cost(std::string(figure) + "/floor: two rdtsc and a 64-byte store", floor_of_recording);
  }
  register_newer_kinds();
  cost("probe: count at the entry, calls that overlap", [](benchmark::State& state) {
    report_cost(
        state, [](std::int32_t pid) { return probed(pid, {}); }, TargetBlock::overlapping,
        TargetBlock::overlapping);
  });
  cost("probe: a record of entry and exit/uftrace -P", uftrace);
  cost("probe: count at the entry/uprobe of the kernel", uprobe);
}

void register_attaching() {
  for (const auto& [name, step] : {std::pair{"attach, %d processes", Step::attach},
                                   {"detach, %d processes", Step::detach},
                                   {"longest stop of a thread, %d processes", Step::stop}}) {
    for (const int processes : {1, 16, 128}) {
      std::string figure = name;
      figure.replace(figure.find("%d"), 2, std::to_string(processes));
      benchmark::RegisterBenchmark(figure.c_str(),
                                   [step = step](benchmark::State& state) { attach(state, step); })
          ->Arg(processes)
          ->UseManualTime()
          ->Iterations(1);
    }
  }
}

void once(const std::string& name, const std::function<void(benchmark::State&)>& measure) {
  benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Iterations(1);
}

void register_stops() {
  for (const std::uint32_t threads : {1U, 2U, 8U}) {
    const std::string who = fmt::format("{} hot thread{}", threads, threads == 1 ? "" : "s");
    once(fmt::format("95 % of the stops of {}, putting in", who),
         [=](benchmark::State& state) { stops(state, threads, Step::attach); });
    once(fmt::format("95 % of the stops of {}, taking out", who),
         [=](benchmark::State& state) { stops(state, threads, Step::detach); });
    once(fmt::format("95 % of the times until {} stand still", who),
         [=](benchmark::State& state) { bare_stops(state, threads, true); });
    once(fmt::format("95 % of the times until {} run on", who),
         [=](benchmark::State& state) { bare_stops(state, threads, false); });
  }
}

void register_listing() {
  for (const std::int64_t executables : {1, 8}) {
    const std::string figure = fmt::format("functions of 64 processes, {} executables", executables);
    for (const bool is_together : {true, false})
      benchmark::RegisterBenchmark(
          (figure + (is_together ? "/ours" : "/each process by itself")).c_str(),
          [=](benchmark::State& state) { list_functions(state, executables, is_together); })
          ->Iterations(1)
          ->UseRealTime();
  }
}

const bool is_registered = [] {
  register_costs();
  register_attaching();
  register_listing();
  register_stops();  // last: they change how this process is run
  return true;
}();

}  // namespace
}  // namespace eventspace::bench
