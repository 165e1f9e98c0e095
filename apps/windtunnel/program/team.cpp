#include "apps/windtunnel/program/team.h"

#include <algorithm>
#include <utility>

namespace eventspace::windtunnel {

Team::Team(Session& session, std::size_t workers, std::function<void(const Failure&)> announce)
    : session_(session), announce_(std::move(announce)), steps_done_(workers) {}

void Team::guard(const std::function<void()>& body) noexcept {
  try {
    body();
  } catch (...) {
    fail(failure_of_current_exception());
  }
}

void Team::fail(Failure failure) noexcept {
  {
    const std::lock_guard lock(mutex_);
    // The first failure is the cause; later ones are likely its consequences.
    if (is_ending_) return;
    failure_ = std::move(failure);
    // Before the session is closed: other processes fail as a consequence only after this message.
    announce_(*failure_);
    is_ending_ = true;
  }
  end();
}

void Team::interrupt() noexcept {
  is_interrupted_ = true;
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_.exchange(true)) return;
  }
  end();
}

void Team::end() noexcept {
  is_ending_.notify_all();
  // Without the mutex: closing wakes threads that may call fail() at once.
  session_.close();
}

std::optional<Failure> Team::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Team::start_clock() {
  if (started_.fetch_add(1) == 0) start_ = Clock::now();
}

void Team::stop_clock() {
  if (stopped_.fetch_add(1) + 1 == steps_done_.size()) end_ = Clock::now();
}

std::optional<std::chrono::nanoseconds> Team::finish() {
  // The counter orders this: the last worker sees start_ and end_ as the others wrote them before they
  // called.
  if (finished_.fetch_add(1) + 1 < steps_done_.size()) return std::nullopt;
  return end_ - start_;
}

std::uint64_t Team::steps_done() const {
  if (steps_done_.empty()) return 0;
  std::uint64_t least = UINT64_MAX;
  for (const auto& worker : steps_done_)
    least = std::min(least, worker.count.load(std::memory_order_relaxed));
  return least;
}

std::uint64_t Team::steps_done_by_all() const {
  std::uint64_t sum = 0;
  for (const auto& worker : steps_done_) sum += worker.count.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace eventspace::windtunnel
