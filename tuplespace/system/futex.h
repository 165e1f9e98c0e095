#pragma once

// Private to tuplespace/.

#include <atomic>
#include <cstdint>

#include "tuplespace/system/deadline.h"

namespace eventspace {

/// Who may sleep on a word: threads of this process, or of every process that maps its memory.
enum class FutexReach : std::uint8_t { process, shared };

/// Sleeps as long as `word` holds `value`, but not past `deadline`. May return sooner: look at the word
/// again.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, Deadline deadline,
                FutexReach reach) noexcept;

/// Wakes at most `count` of those who sleep on this address. The memory there is not touched.
void futex_wake(const std::atomic<std::uint32_t>* word, int count, FutexReach reach) noexcept;

}  // namespace eventspace
