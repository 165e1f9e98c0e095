// The cost of recording in an application with many threads that have many paths each: between two operations
// on one path, the caches are used for so much other data that its event collector and its ring are mostly
// evicted. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <x86intrin.h>

#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/collectors/recorded_path.h"
#include "bench/interleaved.h"

namespace eventspace::bench {
namespace {

// The wind tunnel in its small size: 140 threads, each with 16 paths and 12 KiB of slice and rows.
constexpr std::size_t threads = 140;
constexpr std::size_t paths_of_a_thread = 16;
constexpr std::uint32_t threshold = 200;
constexpr std::size_t words_of_a_thread = std::size_t{12} * 1024 / sizeof(std::uint64_t);

Segment make_segment_of_threads() {
  Segment::Config config;
  config.identity = {session_of("cold"), "n", "p", 1};
  config.clock = Clock::instance().calibration();
  for (std::uint32_t t = 0; t < threads; ++t) {
    config.threads.push_back(t);
    for (std::uint32_t p = 0; p < paths_of_a_thread; ++p) {
      const auto number = static_cast<std::uint32_t>(t * paths_of_a_thread + p);
      config.traces.push_back({"t/" + std::to_string(number) + "@thread", number, number, t, 0, threshold});
    }
  }
  return Segment(config);
}

/// The end of a path with a lock, like an element's: earlier stores wait for their cache lines here.
class LockedEnd final : public Stage {
 public:
  void begin(Operation& operation) override { operation.status = Status::under_way; }
  bool ready(Operation& /*operation*/) override { return true; }
  void finish(Operation& operation) override { call(operation); }
  void call(Operation& operation) override {
    const std::lock_guard lock(mutex_);
    operation.sequence = ++operations_;
    operation.status = Status::ok;
  }

 private:
  std::mutex mutex_;
  std::uint64_t operations_{0};
};

/// The rings of one thread as the floor needs them: only the place of the next record of each.
class BareRings {
 public:
  void put(std::size_t path, const TraceTuple& tuple) noexcept {
    records_[(row_[path]++ % threshold) * paths_of_a_thread + path] = tuple;
  }

 private:
  std::vector<TraceTuple> records_{threshold * paths_of_a_thread};
  std::uint32_t row_[paths_of_a_thread]{};
};

/// Two threads of the system, on different cores if possible, that work alternately.
class Relay {
 public:
  Relay() : other_([this] { serve(); }) {}
  ~Relay() {
    task_ = nullptr;
    turn_ = 1;
    other_.join();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void run(const std::function<void()>& task) {
    here_ = !here_;
    if (here_) return task();
    task_ = &task;
    turn_.store(1, std::memory_order_release);
    while (turn_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }

 private:
  void serve() {
    while (true) {
      while (turn_.load(std::memory_order_acquire) != 1) std::this_thread::yield();
      if (task_ == nullptr) return;
      (*task_)();
      turn_.store(0, std::memory_order_release);
    }
  }
  bool here_{false};
  const std::function<void()>* task_{nullptr};
  std::atomic<int> turn_{0};
  std::thread other_;
};

/// The application's threads take turns in one thread: each works on its memory, then does one operation on
/// each of its paths.
class ManyThreads {
 public:
  ManyThreads() {
    std::shared_ptr<const RecordedThread> thread;
    for (std::uint32_t i = 0; i < threads * paths_of_a_thread; ++i) {
      if (i % paths_of_a_thread == 0) thread.reset(new RecordedThread{&RecordedPath::switch_of_all(true)});
      recorded_.emplace_back(segment_.writer(i), thread, StampOrder::plain, std::make_unique<LockedEnd>());
      bare_.push_back(std::make_unique<LockedEnd>());
      collectors_.push_back(&recorded_.back().stage());
      ends_.push_back(bare_.back().get());
    }
    add("cold: record an operation/ours", [this](std::size_t path) { collectors_[path]->call(operation_); });
    add("cold: record an operation/floor: two rdtsc and a 64-byte store", [this](std::size_t path) {
      const std::uint64_t start = __rdtsc();
      ends_[path]->call(operation_);
      const std::uint64_t end = __rdtsc();
      rings_[path / paths_of_a_thread].put(path % paths_of_a_thread,
                                           {{path, start, 7, 30, end, 11, operation_.sequence, 0}});
    });
    add("cold: record nothing/ours", [this](std::size_t path) { ends_[path]->call(operation_); });
    race_.add_difference("cold: record an operation, added to a path", "cold: record an operation/ours",
                         "cold: record nothing/ours");
    race_.add_difference("cold: the floor, added to a path",
                         "cold: record an operation/floor: two rdtsc and a 64-byte store",
                         "cold: record nothing/ours");
    race_.register_benchmarks();
  }

 private:
  template <class Operate>
  void add(const char* name, Operate operate) {
    race_.add(name, [this, operate](std::size_t operations) {
      for (std::size_t done = 0; done < operations; done += threads * paths_of_a_thread)
        relay_.run([this, &operate] { step(operate); });
    });
  }

  template <class Operate>
  void step(Operate& operate) {
    for (std::size_t thread = 0; thread < threads; ++thread) {
      work(thread);
      for (std::size_t path = 0; path < paths_of_a_thread; ++path) operate(thread * paths_of_a_thread + path);
    }
  }

  void work(std::size_t thread) {
    std::uint64_t* const words = memory_.data() + thread * words_of_a_thread;
    for (std::size_t i = 0; i < words_of_a_thread; ++i) words[i] = 3 * words[i] + i;
    benchmark::ClobberMemory();
  }

  Segment segment_{make_segment_of_threads()};
  std::deque<RecordedPath> recorded_;
  std::vector<std::unique_ptr<LockedEnd>> bare_;
  std::vector<Stage*> collectors_, ends_;
  std::vector<BareRings> rings_{threads};
  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(threads * words_of_a_thread);
  Operation operation_{write_operation()};
  Relay relay_;
  Interleaved race_{is_measuring() ? 300u : 1u,
                    std::size_t{is_measuring() ? 10u : 1u} * threads* paths_of_a_thread};
};

const ManyThreads many_threads;

}  // namespace
}  // namespace eventspace::bench
