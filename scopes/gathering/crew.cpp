#include "scopes/gathering/crew.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

namespace eventspace {

struct Crew::Arena {
  explicit Arena(int threads) : tasks(threads) {}
  oneapi::tbb::task_arena tasks;
};

Crew::Crew(std::size_t threads) : arena_(std::make_unique<Arena>(static_cast<int>(threads))) {}
Crew::~Crew() = default;

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& work) {
  arena_->tasks.execute([&] {
    // One piece at a time, because some take much longer than others.
    oneapi::tbb::parallel_for(
        std::size_t{0}, count, [&](std::size_t i) { work(i); }, oneapi::tbb::simple_partitioner());
  });
}

}  // namespace eventspace
