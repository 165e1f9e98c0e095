#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

namespace eventspace {

/// A queue of tokens from any thread to an event loop, with a descriptor that becomes readable when there are
/// tokens. It holds each token at most once, so its size is bounded by the number of tokens in use.
/// Thread-safe.
class WakeQueue {
 public:
  WakeQueue();
  ~WakeQueue();
  WakeQueue(const WakeQueue&) = delete;
  WakeQueue& operator=(const WakeQueue&) = delete;

  /// Declares the calling thread to be the loop's. It must check has_tokens() before each wait, because its
  /// own pushes do not make the descriptor readable.
  void belong_to_this_thread() noexcept;

  void push(std::uint64_t token) noexcept;
  /// Wakes the loop without a token. Async-signal-safe.
  void interrupt() noexcept;
  /// Returns all tokens pushed since the last call, in the order pushed. Called by the loop's thread only.
  /// Makes no system call.
  std::vector<std::uint64_t> take();
  /// Like take, and resets the descriptor; call when that is readable.
  std::vector<std::uint64_t> drain();

  /// Whether take() would return tokens. Makes no system call.
  [[nodiscard]] bool has_tokens() const;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
  std::atomic<std::thread::id> loop_{};
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> tokens_;         // in the order of their first push
  std::unordered_set<std::uint64_t> pushed_;  // the same tokens
};

}  // namespace eventspace
