#include "tuplespace/shared/signal_watch.h"

#include <algorithm>
#include <climits>

#include "tuplespace/shared/shared_element.h"
#include "tuplespace/system/futex.h"
#include "tuplespace/system/look_out.h"

namespace eventspace::shared_element {
namespace {

// Sequential consistency orders each side's store before its next load: either the sleeper sees the new
// count, or the thread that raises the signal sees the sleeper.
constexpr auto both_ways = std::memory_order_seq_cst;

}  // namespace

void raise(Signal& signal) noexcept {
  signal.count.fetch_add(1, both_ways);
  if (signal.sleepers.load(both_ways) != 0 && signal.sleepers.exchange(0, both_ways) != 0)
    futex_wake(&signal.count, INT_MAX, FutexReach::shared);
}

void await(Signal& signal, std::uint32_t seen, Deadline deadline) noexcept {
  if (look_out([&] { return signal.count.load(std::memory_order_acquire) != seen; })) return;
  const Deadline slice = Deadline::after(SharedElement::longest_sleep);
  signal.sleepers.store(1, both_ways);
  // If the count changed before the store above was visible, the futex call returns at once, as it compares
  // the count itself.
  futex_wait(signal.count, seen, deadline.time() < slice.time() ? deadline : slice, FutexReach::shared);
}

SignalWatch::~SignalWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (!thread_.joinable()) return;
  raise(signal_);  // other waiting threads check once in vain
  thread_.join();
}

void SignalWatch::add(Waker& waker, std::uint32_t seen) {
  const std::lock_guard lock(mutex_);
  if (signal_.count.load(std::memory_order_acquire) != seen) return waker.wake();
  // With other wakers waiting, their older count stays: the thread then wakes all of them no later than it
  // has to.
  if (wakers_.empty()) seen_ = seen;
  wakers_.add(waker);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_one();
}

void SignalWatch::remove(Waker& waker) noexcept {
  const std::lock_guard lock(mutex_);
  wakers_.remove(waker);
}

void SignalWatch::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !wakers_.empty(); });
    if (stopping_) return;
    const std::uint32_t seen = seen_;
    lock.unlock();
    await(signal_, seen, Deadline::never());
    lock.lock();
    wakers_.wake_all();
  }
}

}  // namespace eventspace::shared_element
