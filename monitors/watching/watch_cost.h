#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "paths/links/link.h"
#include "scopes/scope.h"

namespace eventspace {

/// What a monitor costs itself: its processor time, the time that its pulls and the levels of its scope take,
/// and the bytes on its links. What servers spend for it is not in it.
class WatchCost {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts from now on.
  WatchCost();

  /// Pulls through `scope`, and counts that.
  View pull(EventScope& scope, const EventScope::Options& options);

  /// What it came to so far.
  struct Sum {
    std::chrono::nanoseconds elapsed{};
    std::chrono::nanoseconds cpu{};  ///< processor time of the whole process
    std::uint64_t pulls{0};
    std::chrono::nanoseconds pulling{};
  };
  [[nodiscard]] Sum so_far() const noexcept;
  /// Lines for people: the whole, then each level, outermost first, with the slowest part of it.
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
  std::vector<Level> levels_;  // as they were first told of: innermost first
};

}  // namespace eventspace
