// The cost of trace elements beyond the recording thread: readers in another process, threads that record at
// the same time, and very many elements. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "bench/collectors/floor.h"
#include "bench/collectors/recorded_path.h"
#include "bench/interleaved.h"
#include "monitors/servers/child_process.h"
#include "scopes/reading/read_stage.h"

namespace eventspace::bench {
namespace {

/// Recording while another process pulls every record at 1 kHz, and while that process is stopped.
class Watched {
 public:
  Watched() {
    race_.add("record while pulled at 1 kHz/ours", [this](std::size_t times) { record(SIGCONT, times); });
    race_.add("record while pulled at 1 kHz/nobody reads",
              [this](std::size_t times) { record(SIGSTOP, times); });
    race_.register_benchmarks();
  }
  ~Watched() {
    if (!puller_) return;
    puller_->signal(SIGKILL);
    puller_->wait();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  void record(int signal, std::size_t times) {
    if (!puller_) puller_ = ChildProcess::start({{EVENTSPACE_SEGMENT_PULLER, session_of("watched")}, {}});
    puller_->signal(signal);
    call_repeatedly(path_.stage(), operation_, times);
  }

  Segment segment_{make_segment("watched", 1)};
  RecordedPath path_{segment_.writer(0), true};
  Operation operation_{write_operation()};
  std::optional<ChildProcess> puller_;
  Interleaved race_{is_measuring() ? 50u : 1u, is_measuring() ? 1'000'000u : 1000u};
};

/// The rate of one thread, alone and while another thread does the same. Each makes its own data, so that
/// memory is not shared, as in an application.
class TwoThreads {  // NOLINT(clang-analyzer-optin.performance.Padding): asked_for_ is on its own line
 public:
  using Make = std::function<Interleaved::Turn(std::size_t thread)>;

  TwoThreads(Interleaved& race, const std::string& figure, const Make& make)
      : here_(make(0)), other_([this, make] { work(make(1)); }) {
    race.add_rate(figure + "/ours", "events", 2.0, [this](std::size_t times) {
      keep_off_this_core();
      asked_for_.store(times, std::memory_order_release);
      asked_for_.notify_one();
      here_(times);
      while (asked_for_.load(std::memory_order_acquire) != 0) {
      }
    });
    race.add_rate(figure + "/one thread", "events", 1.0, [this](std::size_t times) { here_(times); });
  }
  ~TwoThreads() {
    asked_for_ = stop;
    asked_for_.notify_one();
    other_.join();
  }
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;

 private:
  static constexpr std::size_t stop = ~std::size_t{0};

  // The system may wake the thread on this core and leave it there for a whole turn.
  void keep_off_this_core() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    ::sched_getaffinity(0, sizeof cores, &cores);
    if (CPU_COUNT(&cores) > 1) CPU_CLR(::sched_getcpu(), &cores);
    ::pthread_setaffinity_np(other_.native_handle(), sizeof cores, &cores);
  }

  void work(const Interleaved::Turn& turn) {
    while (true) {
      asked_for_.wait(0);
      const std::size_t times = asked_for_.load(std::memory_order_acquire);
      if (times == stop) return;
      turn(times);
      asked_for_.store(0, std::memory_order_release);
    }
  }

  Interleaved::Turn here_;
  alignas(64) std::atomic<std::size_t> asked_for_{0};
  std::thread other_;
};

/// Two threads that record into trace elements of their own, compared with two that do the minimum: shows how
/// much of the double rate the machine can reach.
class Scaling {
 public:
  Scaling() { race_.register_benchmarks(); }

 private:
  Interleaved::Turn record(std::size_t thread) {
    return [path = std::make_shared<RecordedPath>(segment_.writer(thread), true),
            operation = write_operation()](std::size_t times) mutable {
      call_repeatedly(path->stage(), operation, times);
    };
  }
  static Interleaved::Turn do_the_least(std::size_t /*thread*/) {
    return [ring = BareRing(), nothing = std::make_shared<DoNothing>(), operation = write_operation()](
               std::size_t times) mutable { record_by_hand<Counter>(ring, *nothing, operation, times); };
  }

  Segment segment_{make_segment("threads", 2, 200, 2)};
  Interleaved race_{is_measuring() ? 50u : 1u, is_measuring() ? 500'000u : 1000u};
  TwoThreads recording_{race_, "two threads record", [this](std::size_t thread) { return record(thread); }};
  TwoThreads floor_{race_, "two threads at the floor", do_the_least};
};

constexpr std::uint32_t many = 100'000;
std::uint32_t how_many() { return is_measuring() ? many : 100; }

void Create(benchmark::State& state) {
  while (state.KeepRunning()) benchmark::DoNotOptimize(make_segment("many", how_many()));
}

struct OneProcess final : PlanNames {
  [[nodiscard]] std::string_view thread_name(std::uint32_t) const override { return "t"; }
  [[nodiscard]] std::string_view path_name(std::uint32_t) const override { return "p"; }
  [[nodiscard]] std::string_view process_name(std::uint32_t) const override { return "p"; }
  [[nodiscard]] std::string_view node_of_process(std::uint32_t) const override { return "n"; }
  [[nodiscard]] std::optional<SourceRef> source_of(std::uint32_t, std::uint16_t) const override {
    return SourceRef{};
  }
};

// A server's first pull: it finds the segment, checks all of it, and reads the newest event of each trace
// element.
void Open(benchmark::State& state) {
  const Segment segment = make_segment("many", how_many());
  std::vector<SourceRef> sources;
  for (std::uint32_t i = 0; i < how_many(); ++i) sources.push_back({i, 0});
  const OneProcess names;
  while (state.KeepRunning()) {
    LocalSegments segments({session_of("many"), "n", 1});
    ReadStage stage({sources}, {}, segments, names);
    Pull pull;
    Operation operation;
    operation.verb = Verb::pull;
    operation.body = &pull;
    stage.call(operation);
    if (pull.view.sources_read != sources.size()) state.SkipWithError("not all trace elements were read");
  }
}

const Watched watched;
const Scaling scaling;
BENCHMARK(Create)->Name("create 100 000 trace elements")->Unit(benchmark::kSecond)->UseRealTime();
BENCHMARK(Open)->Name("open 100 000 trace elements, first pull")->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace eventspace::bench
