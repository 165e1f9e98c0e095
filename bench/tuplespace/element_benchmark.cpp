// The cost of passing a tuple through an element, compared with queues that carry a bare shared pointer to
// the same bytes. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/concurrent_queue.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "bench/interleaved.h"
#include "tuplespace/element.h"
#include "tuplespace/system/futex.h"
#include "tuplespace/system/look_out.h"

namespace eventspace::bench {
namespace {

constexpr std::size_t room = 64;

Tuple number(std::int64_t value) { return Tuple::of({value}); }

// The contestants, each with the same two functions; pop and push block.

class ElementStore {
 public:
  void push(Tuple tuple) {
    Operation write;
    write.verb = Verb::write;
    write.tuple = std::move(tuple);
    element_.perform(write);
  }
  Tuple pop() {
    Operation take;
    take.verb = Verb::take;
    element_.perform(take);
    return std::move(take.tuple);
  }

 private:
  Element element_{{.name = "bench", .signature = {FieldType::integer}, .threshold = room}};
};

class TbbStore {
 public:
  TbbStore() { queue_.set_capacity(room); }
  void push(Tuple tuple) { queue_.push(std::move(tuple)); }
  Tuple pop() {
    Tuple tuple;
    queue_.pop(tuple);
    return tuple;
  }

 private:
  oneapi::tbb::concurrent_bounded_queue<Tuple> queue_;
};

class MutexStore {
 public:
  void push(Tuple tuple) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return queue_.size() < room; });
    queue_.push_back(std::move(tuple));
    lock.unlock();
    not_empty_.notify_one();
  }
  Tuple pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return !queue_.empty(); });
    Tuple tuple = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    not_full_.notify_one();
    return tuple;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::deque<Tuple> queue_;
};

// One thread writes a tuple and takes it again: no waiting, no hand-over to another thread.
template <class Store>
void WriteAndTake(benchmark::State& state) {
  Store store;
  const Tuple tuple = number(1);
  while (state.KeepRunning()) {
    store.push(tuple);
    benchmark::DoNotOptimize(store.pop());
  }
}

/// The minimal hand-over: a slot for one tuple, and a word that counts the passed tuples.
template <bool looks_out>
class FutexStore {
 public:
  void push(Tuple tuple) {
    tuple_ = std::move(tuple);
    count_.fetch_add(1);
    if (sleepers_.load() != 0) futex_wake(&count_, 1, FutexReach::process);
  }
  Tuple pop() {
    const auto came = [this] { return count_.load(std::memory_order_acquire) != seen_; };
    if (!looks_out || !look_out(came)) {
      sleepers_.store(1);
      while (!came()) futex_wait(count_, seen_, Deadline::never(), FutexReach::process);
      sleepers_.store(0);
    }
    ++seen_;
    return std::move(tuple_);
  }

 private:
  alignas(64) std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  Tuple tuple_;
  alignas(64) std::uint32_t seen_{0};  // used by the thread that pops
};

/// Sends a tuple to another thread and back: two hand-overs, each to a thread that waits for it.
template <class Store>
class RoundTrips {
 public:
  ~RoundTrips() {
    there_.push(number(0));
    other_.join();
  }
  RoundTrips() = default;
  RoundTrips(const RoundTrips&) = delete;
  RoundTrips& operator=(const RoundTrips&) = delete;

  void round_trip() {
    there_.push(tuple_);
    benchmark::DoNotOptimize(back_.pop());
  }

 private:
  void echo() {
    for (Tuple tuple = there_.pop(); tuple.get<std::int64_t>(0) != 0; tuple = there_.pop()) back_.push(tuple);
  }

  const Tuple tuple_ = number(1);
  Store there_;
  Store back_;
  std::thread other_{[this] { echo(); }};
};

class HandOver {
 public:
  HandOver() {
    add<ElementStore>("ours");
    add<TbbStore>("oneTBB bounded queue");
    add<FutexStore<true>>("bare futex, same look-out");
    add<FutexStore<false>>("bare futex");
    add<MutexStore>("mutex and deque");
    race_.register_benchmarks();
  }

 private:
  template <class Store>
  void add(const std::string& name) {
    race_.add("hand-over and back, two threads/" + name,
              [trips = std::shared_ptr<RoundTrips<Store>>()](std::size_t times) mutable {
                if (!trips) trips = std::make_shared<RoundTrips<Store>>();
                for (std::size_t i = 0; i < times; ++i) trips->round_trip();
              });
  }

  Interleaved race_{200, 100};
};

HandOver hand_over;

BENCHMARK(WriteAndTake<ElementStore>)->Name("write and take, one thread/ours");
BENCHMARK(WriteAndTake<TbbStore>)->Name("write and take, one thread/oneTBB bounded queue");
BENCHMARK(WriteAndTake<MutexStore>)->Name("write and take, one thread/mutex and deque");

}  // namespace
}  // namespace eventspace::bench
