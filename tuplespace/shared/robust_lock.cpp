#include "tuplespace/shared/robust_lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "tuplespace/processes/process_stat.h"
#include "tuplespace/system/futex.h"
#include "tuplespace/system/look_out.h"

namespace eventspace {
namespace {

constexpr std::uint32_t id_mask = FUTEX_TID_MASK;
constexpr std::uint32_t waiters = FUTEX_WAITERS;
constexpr std::uint32_t owner_died = FUTEX_OWNER_DIED;

std::uint32_t holder_of(std::uint32_t word) noexcept { return word & id_mask; }

// A main thread that has ended is gone even if its process runs, so this does not use is_alive_since().
bool is_gone(std::uint32_t thread) {
  const auto stat = read_process_stat(static_cast<std::int32_t>(thread));
  return !stat || stat->state == 'Z' || stat->state == 'X';
}

}  // namespace

/// A thread's data for holding locks: its id, and the list through which the kernel is informed about a lock.
struct RobustLock::Holder {
  std::uint32_t id{0};  // 0 if not known yet, or reset by a fork
  robust_list_head* list{nullptr};

  void introduce() noexcept;

  /// Makes the kernel check `word` when this thread dies.
  void announce(const std::atomic<std::uint32_t>* word) noexcept {
    if (list == nullptr) return;
    const auto* const place = reinterpret_cast<const char*>(word) - list->futex_offset;
    set_pending(reinterpret_cast<robust_list*>(const_cast<char*>(place)));
  }
  void withdraw() noexcept {
    if (list != nullptr) set_pending(nullptr);
  }

 private:
  // The kernel may read the entry between any two instructions of this thread. Signal fences keep the stores
  // in program order, which suffices for the same thread.
  void set_pending(robust_list* entry) noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    list->list_op_pending = entry;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
};

void RobustLock::Holder::introduce() noexcept {
  static std::once_flag once;
  // A forked child's thread has another id than its copy of the parent's holder.
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, [] { RobustLock::this_thread().id = 0; }); });
  std::size_t size = 0;
  // The C library registers a list for every thread. Without one the kernel cannot mark the lock; see
  // `suspicion`.
  if (::syscall(SYS_get_robust_list, 0, &list, &size) != 0 || size != sizeof *list) list = nullptr;
  id = static_cast<std::uint32_t>(::gettid());
}

RobustLock::Holder& RobustLock::this_thread() noexcept {
  static constinit thread_local Holder holder;
  return holder;
}

RobustLock::Outcome RobustLock::lock(Deadline deadline) noexcept {
  Holder& self = this_thread();
  if (self.id == 0) self.introduce();
  // Announced before the lock is tried: a thread that died between the two steps in the other order would
  // leave the lock held. If the thread does not get the lock, the kernel finds another id in it and does
  // nothing.
  self.announce(&word_);
  std::uint32_t free = 0;
  if (word_.compare_exchange_strong(free, self.id, std::memory_order_acquire, std::memory_order_relaxed))
    return Outcome::locked;
  const Outcome outcome = wait(self.id, deadline);
  if (outcome == Outcome::timed_out) self.withdraw();
  return outcome;
}

void RobustLock::unlock() noexcept {
  // If this thread dies between these two steps, the kernel finds the entry still pending and wakes a thread
  // in its place.
  if ((word_.exchange(0, std::memory_order_release) & waiters) != 0)
    futex_wake(&word_, 1, FutexReach::shared);
  this_thread().withdraw();
}

bool RobustLock::take(std::uint32_t seen, std::uint32_t wanted, Outcome& outcome) noexcept {
  // If no other bit is set, the lock was unlocked in an orderly way. Otherwise the kernel left its mark, or
  // the id of a thread that is gone is still there.
  outcome = seen == 0 || seen == waiters ? Outcome::locked : Outcome::orphaned;
  return word_.compare_exchange_strong(seen, wanted, std::memory_order_acquire, std::memory_order_relaxed);
}

RobustLock::Outcome RobustLock::wait(std::uint32_t self, Deadline deadline) noexcept {
  const auto is_free = [this] { return holder_of(word_.load(std::memory_order_relaxed)) == 0; };
  (void)look_out(is_free);
  bool slept = false;
  Outcome outcome{};
  std::uint32_t suspect = 0;  // the thread that held the lock throughout the last sleep
  while (true) {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    const std::uint32_t holder = holder_of(seen);
    // A lock with the id of this thread belongs to an earlier thread with the same id, because this thread
    // does not hold a lock.
    const bool available = holder == 0 || holder == self || (holder == suspect && is_gone(holder));
    if (available) {
      // A thread that has slept cannot know whether others still sleep, so it keeps the flag: at worst that
      // costs one unnecessary wake-up.
      if (take(seen, self | (slept ? waiters : seen & waiters), outcome)) return outcome;
      continue;
    }
    const bool is_last_look = deadline.passed();
    if (is_last_look && !slept) return Outcome::timed_out;
    // Also before a thread that has slept gives up: it may have been the thread that unlock() woke for all,
    // and the next holder does not know that others still sleep.
    if ((seen & waiters) == 0 &&
        !word_.compare_exchange_weak(seen, seen | waiters, std::memory_order_relaxed))
      continue;
    if (is_last_look) return Outcome::timed_out;
    const Deadline slice = Deadline::after(suspicion);
    futex_wait(word_, seen | waiters, deadline.time() < slice.time() ? deadline : slice, FutexReach::shared);
    suspect = slice.passed() ? holder : 0;
    slept = true;
  }
}

}  // namespace eventspace
