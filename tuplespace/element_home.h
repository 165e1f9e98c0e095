#pragma once
// Private to tuplespace/.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace eventspace {

/// The process that hosts shared elements, as this process sees it; and whether this process still uses them.
/// Thread-safe.
class ElementHome {
 public:
  /// Process `name` of the plan is process `pid` of the kernel, which started at `start_ticks`.
  ElementHome(std::string name, std::int32_t pid, std::uint64_t start_ticks);

  [[nodiscard]] std::string text() const;  ///< "process p0 (pid 7)"

  /// Whether it has ended; asks the kernel, but not more often than every `interval`, and remembers a yes.
  [[nodiscard]] bool is_gone() noexcept;
  static constexpr std::chrono::milliseconds interval{100};

  /// This process does nothing more with the elements.
  void leave() noexcept { left_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_left() const noexcept { return left_.load(std::memory_order_acquire); }

 private:
  std::string name_;
  std::int32_t pid_;
  std::uint64_t start_ticks_;
  bool is_self_;
  std::atomic<bool> left_{false};
  std::atomic<bool> gone_{false};
  std::atomic<std::int64_t> next_look_{0};
};

}  // namespace eventspace
