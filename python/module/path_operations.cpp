#include "python/module/path_operations.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "python/module/waits.h"

namespace eventspace::python {
namespace {

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

/// An operation of the main thread.
class Waiting {
 public:
  Waiting(Stage& stage, Operation& operation) noexcept : stage_(&stage), operation_(&operation) {
    operation.waker = &alarm_;
  }

  /// Begins the operation, and waits until it has ended or signals are due. Returns whether it has ended.
  bool begin() {
    const WithoutGil released;
    return attempt([this] { stage_->begin(*operation_); });
  }
  bool proceed() {
    const WithoutGil released;
    return attempt([] {});
  }
  /// Ends the operation at once, also on a server. What the exception of a stage says is its reason then.
  void give_up() {
    const WithoutGil released;
    operation_->deadline = Deadline::now();
    try {
      stage_->finish(*operation_);
    } catch (const std::exception& fault) {
      operation_->status = Status::closed;
      operation_->reason = fault.what();
    }
  }

 private:
  // A stage that throws wants the operation to be finished with a deadline that has passed.
  template <class First>
  bool attempt(First first) {
    try {
      first();
      if (!wait()) return false;
    } catch (...) {
      operation_->deadline = Deadline::now();
      stage_->finish(*operation_);
      throw;
    }
    stage_->finish(*operation_);
    return true;
  }

  // Returns whether to finish the operation; false: it is time to handle signals.
  bool wait() {
    if (stage_->ready(*operation_)) return true;
    const Clock::time_point until = Clock::now() + between_signals;
    for (Clock::time_point now; (now = Clock::now()) < until;) {
      if (operation_->deadline.passed()) return true;
      alarm_.wait_until(
          std::min({until, now + pause_, operation_->deadline.time(), operation_->look_again.time()}));
      pause_ = std::min(2 * pause_, longest_pause);
      if (stage_->ready(*operation_)) return true;
    }
    return false;
  }

  Stage* stage_;
  Operation* operation_;
  Alarm alarm_;
  std::chrono::microseconds pause_{first_pause};
};

}  // namespace

void perform(Stage& stage, Operation& operation) {
  if (!handles_signals()) {
    const WithoutGil released;
    return stage.call(operation);
  }
  Waiting waiting(stage, operation);
  bool has_ended = waiting.begin();
  while (!has_ended) {
    try {
      handle_signals();
    } catch (...) {
      waiting.give_up();
      throw;
    }
    has_ended = waiting.proceed();
  }
}

}  // namespace eventspace::python
