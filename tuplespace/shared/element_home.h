#pragma once

// Private to tuplespace/.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace eventspace {

/// The process that an element file is of, as this process sees it; and whether this process still uses it.
/// Thread-safe.
class ElementHome {
 public:
  /// Process `name` of the plan is process `pid` of the kernel, which started at `start_ticks`; `ended`, in
  /// its file, is not 0 once it has left.
  ElementHome(std::string name, std::int32_t pid, std::uint64_t start_ticks,
              std::atomic<std::uint32_t>& ended);

  [[nodiscard]] std::string text() const;  ///< "process p0 (pid 7)"

  /// Says, for the process itself, that it has left.
  void end() noexcept { ended_.store(1, std::memory_order_release); }
  /// Whether it has left or is gone; asks the kernel, but not more often than every `interval`, and remembers
  /// a yes.
  [[nodiscard]] bool has_ended() noexcept;
  static constexpr std::chrono::milliseconds interval{100};

  /// This process does nothing more with the elements.
  void leave() noexcept { left_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_left() const noexcept { return left_.load(std::memory_order_acquire); }

 private:
  std::string name_;
  std::int32_t pid_;
  std::uint64_t start_ticks_;
  std::atomic<std::uint32_t>& ended_;
  bool is_self_;
  std::atomic<bool> left_{false};
  std::atomic<bool> gone_{false};
  std::atomic<std::int64_t> next_look_{0};
};

}  // namespace eventspace
