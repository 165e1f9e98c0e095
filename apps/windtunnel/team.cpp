#include "apps/windtunnel/team.h"

#include <algorithm>

namespace eventspace::windtunnel {

Team::Team(Session& session, std::size_t workers) : session_(session), steps_done_(workers) {}

void Team::guard(const std::function<void()>& body) noexcept {
  try {
    body();
  } catch (...) {
    fail(failure_of_current_exception());
  }
}

void Team::fail(Failure failure) noexcept {
  if (is_ending_.exchange(true)) return;
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  end();
}

void Team::interrupt() noexcept {
  is_interrupted_ = true;
  if (!is_ending_.exchange(true)) end();
}

void Team::end() noexcept {
  is_ending_.notify_all();
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

}  // namespace eventspace::windtunnel
