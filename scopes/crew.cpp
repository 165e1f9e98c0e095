#include "scopes/crew.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>

namespace eventspace {

struct Crew::Arena {
  explicit Arena(int threads) : tasks(threads) {}
  oneapi::tbb::task_arena tasks;
};

Crew::Crew(std::size_t threads) : arena_(std::make_unique<Arena>(static_cast<int>(threads))) {}
Crew::~Crew() = default;

// The two counters say what happens before what in a way that ThreadSanitizer sees: it does not look into
// oneTBB.
void Crew::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> begun{0};
  std::atomic<std::size_t> done{0};
  begun.store(1, std::memory_order_release);
  arena_->tasks.execute([&] {
    oneapi::tbb::parallel_for(
        std::size_t{0}, count,
        [&](std::size_t i) {
          (void)begun.load(std::memory_order_acquire);
          work(i);
          done.fetch_add(1, std::memory_order_release);
        },
        oneapi::tbb::simple_partitioner());
  });
  (void)done.load(std::memory_order_acquire);
}

}  // namespace eventspace
