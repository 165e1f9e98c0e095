#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "paths/links/link.h"
#include "paths/views/view.h"

namespace eventspace {

/// The cost of a monitor itself: its processor time, the time of its pulls and of the levels of its scope,
/// and the bytes on its links. The cost on servers is not included. All times are read from the steady clock,
/// never from the timeline of the monitor. Used by one thread.
class WatchCost {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts counting.
  WatchCost();

  /// Counts a pull of `view` that took `elapsed`.
  void count(const View& view, std::chrono::nanoseconds elapsed);
  /// The duration of the newest pull.
  [[nodiscard]] std::chrono::nanoseconds last_pull() const noexcept { return last_pull_; }

  /// The cost so far.
  struct Sum {
    std::chrono::nanoseconds elapsed{};
    std::chrono::nanoseconds cpu{};  ///< processor time of the whole process
    std::uint64_t pulls{0};
    std::chrono::nanoseconds pulling{};
  };
  [[nodiscard]] Sum so_far() const noexcept;
  /// Prints lines for display: the sum, then each level, outermost first, with its slowest part.
  void print(std::ostream& out, const Link::Counts& traffic) const;

 private:
  struct Part {
    std::string name;  ///< "node n1"
    std::uint64_t pulls{0};
    std::chrono::nanoseconds elapsed{};
    [[nodiscard]] std::chrono::nanoseconds mean() const noexcept {
      return elapsed / static_cast<std::int64_t>(pulls);
    }
  };
  struct Level {
    std::string name;  ///< "node"
    std::vector<Part> parts;
  };
  void add(const LevelTime& level);
  static void print(std::ostream& out, const Level& level);

  Clock::time_point begun_;
  std::chrono::nanoseconds cpu_begun_;
  std::uint64_t pulls_{0};
  std::chrono::nanoseconds pulling_{};
  std::chrono::nanoseconds last_pull_{};
  std::vector<Level> levels_;  // in the order of the first view: innermost first
};

}  // namespace eventspace
