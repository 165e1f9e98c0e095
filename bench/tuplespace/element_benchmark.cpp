// What a tuple costs on its way through an element, beside queues that carry a bare shared pointer to the
// same bytes. Names are FIGURE/ours and FIGURE/PEER; see scripts/bench.
#include <benchmark/benchmark.h>
#include <oneapi/tbb/concurrent_queue.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "tuplespace/element.h"

namespace eventspace {
namespace {

constexpr std::size_t room = 64;

Tuple number(std::int64_t value) { return Tuple::of({value}); }

// The three stores, each with the same two verbs; pop and push wait.

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

// One thread writes a tuple and takes it out again: no waiting, no hand-over.
template <class Store>
void WriteAndTake(benchmark::State& state) {
  Store store;
  const Tuple tuple = number(1);
  while (state.KeepRunning()) {
    store.push(tuple);
    benchmark::DoNotOptimize(store.pop());
  }
}

// A tuple goes to another thread and comes back: two hand-overs, each to a thread that waits for it.
template <class Store>
void HandOverAndBack(benchmark::State& state) {
  Store there;
  Store back;
  std::thread other([&] {
    for (Tuple tuple = there.pop(); tuple.get<std::int64_t>(0) != 0; tuple = there.pop()) back.push(tuple);
  });
  const Tuple tuple = number(1);
  while (state.KeepRunning()) {
    there.push(tuple);
    benchmark::DoNotOptimize(back.pop());
  }
  there.push(number(0));
  other.join();
}

BENCHMARK(WriteAndTake<ElementStore>)->Name("write and take, one thread/ours");
BENCHMARK(WriteAndTake<TbbStore>)->Name("write and take, one thread/oneTBB bounded queue");
BENCHMARK(WriteAndTake<MutexStore>)->Name("write and take, one thread/mutex and deque");
BENCHMARK(HandOverAndBack<ElementStore>)->Name("hand-over and back, two threads/ours")->UseRealTime();
BENCHMARK(HandOverAndBack<TbbStore>)
    ->Name("hand-over and back, two threads/oneTBB bounded queue")
    ->UseRealTime();
BENCHMARK(HandOverAndBack<MutexStore>)
    ->Name("hand-over and back, two threads/mutex and deque")
    ->UseRealTime();

}  // namespace
}  // namespace eventspace
