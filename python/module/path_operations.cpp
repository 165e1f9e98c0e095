#include "python/module/path_operations.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "python/module/waits.h"

namespace eventspace::python {
namespace {

namespace py = pybind11;
using Clock = std::chrono::steady_clock;

/// A waker that a thread waits for.
class Alarm final : public Waker {
 public:
  void wake() noexcept override {
    const std::lock_guard lock(mutex_);
    rings_ = true;
    rung_.notify_one();
  }
  void wait_until(Clock::time_point time) {
    std::unique_lock lock(mutex_);
    rung_.wait_until(lock, time, [this] { return rings_; });
    rings_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool rings_{false};
};

// Replies of servers arrive only when the stage is asked, so it is asked at growing intervals. An element of
// this process, or one in shared memory, wakes the waiting thread earlier.
constexpr std::chrono::microseconds first_pause{20};
constexpr std::chrono::microseconds longest_pause{1000};

/// Waits until the operation is ready, its deadline has passed, or it is time to handle signals. Returns
/// whether to finish it.
bool wait_some(Stage& stage, Operation& operation, Alarm& alarm, std::chrono::microseconds& pause) {
  const Clock::time_point until = Clock::now() + between_signals;
  while (true) {
    if (stage.ready(operation) || operation.deadline.passed()) return true;
    const Clock::time_point now = Clock::now();
    if (now >= until) return false;
    alarm.wait_until(std::min({until, now + pause, operation.deadline.time(), operation.look_again.time()}));
    pause = std::min(2 * pause, longest_pause);
  }
}

}  // namespace

void perform(Stage& stage, Operation& operation) {
  if (!handles_signals()) {
    const WithoutGil released;
    return stage.call(operation);
  }
  Alarm alarm;
  operation.waker = &alarm;
  std::chrono::microseconds pause = first_pause;
  const auto wait = [&] {
    const WithoutGil released;
    return wait_some(stage, operation, alarm, pause);
  };
  const auto finish = [&] {
    const WithoutGil released;
    stage.finish(operation);
  };
  try {
    {
      const WithoutGil released;
      stage.begin(operation);
    }
    while (!wait()) handle_signals();
  } catch (...) {
    operation.deadline = Deadline::now();
    finish();
    throw;
  }
  finish();
}

}  // namespace eventspace::python
