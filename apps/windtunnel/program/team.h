// The state that the threads of this process share: the progress of its workers, and their common end. A run
// ends when it is complete, by the first failure of any thread, or when the user interrupts it. In the last
// two cases the session is closed, so that no thread stays blocked.
//
// Thread-safe, except for construction and destruction.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <eventspace/session.h>
#include "apps/windtunnel/exchange/failure.h"

namespace eventspace::windtunnel {

class Team {
 public:
  // The session must outlive this object. `announce` is called with the failure of the run, in the thread
  // that failed, before any other thread or process can have noticed it; it must not throw.
  Team(Session& session, std::size_t workers, std::function<void(const Failure&)> announce);

  // Runs `body` in the calling thread. An exception from it becomes the failure of the run, unless the run is
  // already ending.
  void guard(const std::function<void()>& body) noexcept;

  void fail(Failure failure) noexcept;
  void interrupt() noexcept;

  bool is_ending() const { return is_ending_.load(std::memory_order_relaxed); }
  void wait_until_ending() const { is_ending_.wait(false); }
  bool was_interrupted() const { return is_interrupted_; }
  std::optional<Failure> failure() const;

  // Each worker calls these before its first step and after its last step.
  void start_clock();
  void stop_clock();

  // Each worker calls this when everything else is done. Returns to the last caller the time from the first
  // start_clock() to the last stop_clock(), to the others nullopt.
  std::optional<std::chrono::nanoseconds> finish();

  void set_steps_done(std::size_t worker, std::uint64_t steps) {
    steps_done_[worker].count.store(steps, std::memory_order_relaxed);
  }

  // The steps done by the slowest worker of this process; 0 if there is none.
  std::uint64_t steps_done() const;

  // The sum of the steps done by all workers of this process.
  std::uint64_t steps_done_by_all() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct alignas(64) Counter {
    std::atomic<std::uint64_t> count{0};
  };

  void end() noexcept;

  Session& session_;
  const std::function<void(const Failure&)> announce_;
  std::vector<Counter> steps_done_;
  std::atomic<std::size_t> started_{0};
  std::atomic<std::size_t> stopped_{0};
  std::atomic<std::size_t> finished_{0};
  Clock::time_point start_;             // written by the first worker to start, before it calls finish()
  Clock::time_point end_;               // written by the last worker to stop, before it calls finish()
  std::atomic<bool> is_ending_{false};  // set with mutex_ held
  std::atomic<bool> is_interrupted_{false};
  mutable std::mutex mutex_;
  std::optional<Failure> failure_;  // guarded by mutex_
};

}  // namespace eventspace::windtunnel
