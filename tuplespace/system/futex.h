#pragma once

#include <atomic>
#include <cstdint>

#include <eventspace/deadline.h>

namespace eventspace {

/// The threads that may sleep on a word: those of this process, or those of every process that maps its
/// memory.
enum class FutexReach : std::uint8_t { process, shared };

/// Sleeps while `word` holds `value`, at most until `deadline`. May return early (a signal, a spurious
/// wake-up): the caller has to check the word again.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, Deadline deadline,
                FutexReach reach) noexcept;

/// Wakes at most `count` of the threads that sleep on this address. Does not access the memory there, so the
/// word may already be gone.
void futex_wake(const std::atomic<std::uint32_t>* word, int count, FutexReach reach) noexcept;

}  // namespace eventspace
