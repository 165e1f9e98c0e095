#pragma once

// Private to monitors/.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace eventspace {

/// A call or an operation whose phase is to be found.
struct PhasedCall {
  std::uint64_t start{0};  // ticks, as all times here
  std::uint64_t end{0};
  std::uint32_t level{0};  ///< the phase it is in if it is in no region
  std::chrono::nanoseconds duration{0};
  /// What it counts as in MessageWaits; none: it does not wait.
  struct Wait {
    std::uint32_t function{0};
    std::uint64_t bytes{0};
  };
  std::optional<Wait> wait{};
  std::uint32_t calls{1};  ///< how many calls, one after the other, it stands for
  bool is_waiting{false};  ///< it can wait for others (scopes/metrics/language/waiting.h)
};

/// Finds the region in which each call of one thread was: the innermost of those that the program has named
/// with probes (EVENTSPACE_REGION) around it. A region is recorded when it ends, after what is inside, and in
/// another trace element, so calls wait here until a region around them has come, or there can be none.
/// Regions of a thread nest.
///
/// Bounds: `most_waiting` calls wait; the oldest then count as outside, and are counted. Of regions that have
/// ended, the newest `most_recent` find calls that are read later than they. Pure. Not thread-safe.
class ThreadRegions {
 public:
  static constexpr std::size_t most_waiting = 65536;
  static constexpr std::size_t most_recent = 2048;
  /// Receives a call and the number of its region's name; none: it was in no region.
  using Found = std::function<void(const PhasedCall&, std::optional<std::uint32_t>)>;

  /// A region has ended. To be told in the order of their ends.
  void end(std::uint32_t name, std::uint64_t start, std::uint64_t end, const Found& found);
  /// A region is open: the innermost one of those that are, in the newest view.
  void open(std::uint32_t name, std::uint64_t start) { open_ = Region{name, start, 0}; }
  void add(const PhasedCall& call, const Found& found);
  /// No more regions come: `found` gets all calls that wait. `last`: the end of the thread's last event.
  void settle(std::uint64_t last, const Found& found);

  /// Whether the thread has passed a region.
  [[nodiscard]] bool any() const noexcept { return open_.has_value() || !inside_.empty(); }
  /// The time in each region without that in regions inside it, by name.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& inside() const noexcept { return inside_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Region {
    std::uint32_t name{0};
    std::uint64_t start{0};
    std::uint64_t end{0};
  };
  /// The time of regions next to each other that no region around them has been seen of.
  struct Uncovered {
    std::uint64_t start{0};
    std::uint64_t ticks{0};
  };
  static constexpr std::size_t most_uncovered = 4096;

  void count(std::uint32_t name, std::uint64_t start, std::uint64_t end);
  [[nodiscard]] const Region* around(const PhasedCall& call) const;

  std::deque<Region> recent_;                         // by end
  std::multimap<std::uint64_t, PhasedCall> waiting_;  // by start
  std::vector<Uncovered> uncovered_;                  // by start
  std::optional<Region> open_;
  std::map<std::uint32_t, std::uint64_t> inside_;
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
