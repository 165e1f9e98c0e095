#pragma once

#include <cstdint>
#include <mutex>
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

  void push(std::uint64_t token) noexcept;
  /// Wakes the loop without a token. Safe in a signal handler.
  void interrupt() noexcept;
  /// All tokens pushed since the last drain; clears the descriptor. For the loop's thread only.
  std::vector<std::uint64_t> drain();

  /// Whether drain() would return some; costs no call of the system.
  [[nodiscard]] bool has_tokens() const;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> tokens_;         // in the order of their first push
  std::unordered_set<std::uint64_t> pushed_;  // the same
};

}  // namespace eventspace
