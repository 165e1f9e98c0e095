#include "scopes/gathering/crew.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <optional>

#include "tuplespace/system/library_thread.h"

namespace eventspace {
namespace {

/// Blocks all signals for oneTBB's threads while they work in an arena. The application may use these threads
/// too.
class WithoutSignals final : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit WithoutSignals(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~WithoutSignals() override { observe(false); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

  void on_scheduler_entry(bool is_worker) override {
    if (is_worker && ++this_thread().arenas == 1) this_thread().blocked.emplace();
  }
  void on_scheduler_exit(bool is_worker) override {
    if (is_worker && --this_thread().arenas == 0) this_thread().blocked.reset();
  }

 private:
  struct Worker {
    int arenas{0};  // nested arenas that it is in
    std::optional<SignalsBlocked> blocked;
  };
  static Worker& this_thread() {
    thread_local Worker worker;
    return worker;
  }
};

}  // namespace

struct Crew::Arena {
  explicit Arena(int threads) : tasks(threads) {}
  oneapi::tbb::task_arena tasks;
  WithoutSignals without_signals{tasks};
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
