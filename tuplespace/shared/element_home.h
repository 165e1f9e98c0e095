#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tuplespace/processes/process_origin.h"

namespace eventspace {

/// The home process of an element file, as seen by this process; and whether this process still uses the
/// file. Thread-safe.
class ElementHome {
 public:
  /// `process` is process `name` of the plan, and has `file`. `ended` is in the file; it is not 0 once that
  /// process has left. It must outlive this object.
  ElementHome(std::string name, const ProcessIdentity& process, std::filesystem::path file,
              std::atomic<std::uint32_t>& ended);

  [[nodiscard]] std::string text() const;  ///< "process p0 (pid 7)"

  /// Marks the home as left; for the home process itself.
  void end() noexcept { ended_.store(1, std::memory_order_release); }
  /// Returns whether the home process has left or is gone. Queries the kernel at most once every `interval`,
  /// and never after the process has gone.
  [[nodiscard]] bool has_ended() noexcept;
  static constexpr std::chrono::milliseconds interval{100};

  /// Marks that this process no longer uses the elements.
  void leave() noexcept { left_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_left() const noexcept { return left_.load(std::memory_order_acquire); }

 private:
  std::string name_;
  ProcessIdentity process_;
  std::filesystem::path file_;
  std::atomic<std::uint32_t>& ended_;
  bool is_self_;
  std::atomic<bool> left_{false};
  std::atomic<bool> gone_{false};
  std::atomic<std::int64_t> next_look_{0};
};

}  // namespace eventspace
