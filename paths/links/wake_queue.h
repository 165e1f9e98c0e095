#pragma once

// Private to paths/.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace eventspace {

/// Tokens that any thread hands to an event loop, with a descriptor that becomes readable when there are
/// some. Holds a token at most once, so it is bounded by the number of tokens in use. Thread-safe.
class WakeQueue {
 public:
  WakeQueue();
  ~WakeQueue();
  WakeQueue(const WakeQueue&) = delete;
  WakeQueue& operator=(const WakeQueue&) = delete;

  /// The loop runs in the calling thread, and asks has_tokens() before each wait: what it pushes itself need
  /// not be told by the descriptor.
  void belong_to_this_thread() noexcept;

  void push(std::uint64_t token) noexcept;
  /// Wakes the loop without a token. Safe in a signal handler.
  void interrupt() noexcept;
  /// All tokens pushed since they were last taken. For the loop's thread only.
  std::vector<std::uint64_t> take();
  /// The same, and clears the descriptor, when that is readable.
  std::vector<std::uint64_t> drain();

  /// Whether take() would return some; costs no call of the system, as little as take().
  [[nodiscard]] bool has_tokens() const;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
  std::atomic<std::thread::id> loop_{};
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> tokens_;         // in the order of their first push
  std::unordered_set<std::uint64_t> pushed_;  // the same
};

}  // namespace eventspace
