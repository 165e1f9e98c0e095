#include "tuplespace/shared/signal_watch.h"

#include <algorithm>
#include <climits>

#include "tuplespace/shared/shared_element.h"
#include "tuplespace/system/futex.h"
#include "tuplespace/system/library_thread.h"
#include "tuplespace/system/look_out.h"

namespace eventspace::shared_element {

void raise(Signal& signal) noexcept {
  std::uint32_t before = signal.word.load(std::memory_order_relaxed);
  while (!signal.word.compare_exchange_weak(before, (before & ~Signal::has_sleepers) + Signal::once,
                                            std::memory_order_release, std::memory_order_relaxed)) {
  }
  if ((before & Signal::has_sleepers) != 0) futex_wake(&signal.word, INT_MAX, FutexReach::shared);
}

void await(Signal& signal, std::uint32_t seen, Deadline deadline) noexcept {
  if (look_out([&] { return count_of(signal) != seen; })) return;
  const Deadline slice = Deadline::after(SharedElement::longest_sleep);
  const std::uint32_t asleep = seen | Signal::has_sleepers;
  std::uint32_t word = seen;
  if (!signal.word.compare_exchange_strong(word, asleep, std::memory_order_relaxed) && word != asleep) return;
  // If the signal is raised before the futex call, the call returns at once, because it compares the word
  // itself.
  futex_wait(signal.word, asleep, deadline.time() < slice.time() ? deadline : slice, FutexReach::shared);
}

SignalWatch::~SignalWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (!thread_.joinable()) return;
  raise(signal_);  // other waiting threads check once unnecessarily
  thread_.join();
}

void SignalWatch::add(Waker& waker, std::uint32_t seen) {
  const std::lock_guard lock(mutex_);
  if (count_of(signal_) != seen) return waker.wake();
  // If other wakers wait, their older count stays, so that the thread wakes none of them too late.
  if (wakers_.empty()) seen_ = seen;
  wakers_.add(waker);
  if (!thread_.joinable()) thread_ = start_library_thread([this] { run(); });
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
