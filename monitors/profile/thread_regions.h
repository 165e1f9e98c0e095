#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace eventspace {

/// A call or an operation that is to be assigned to a phase.
struct PhasedCall {
  std::uint64_t start{0};  // in ticks, like all times here
  std::uint64_t end{0};
  std::uint32_t level{0};  ///< its phase if it is outside all regions
  std::chrono::nanoseconds duration{0};
  /// Its classification in MessageWaits; nullopt: it does not wait.
  struct Wait {
    std::uint32_t function{0};
    std::uint64_t bytes{0};
  };
  std::optional<Wait> wait{};
  std::uint32_t calls{1};  ///< how many consecutive calls it stands for
  bool is_waiting{false};  ///< it can wait for others (scopes/metrics/language/waiting.h)
};

/// Finds the region in which each call of one thread was: the innermost region around it that the program has
/// named with probes (EVENTSPACE_REGION). A region is recorded when it ends, after the events inside it and
/// in another trace element. So calls wait here until a region around them has been read, or there can be
/// none. Regions of a thread nest.
///
/// Bounds: up to `max_waiting` calls wait; beyond that, the oldest ones count as outside of regions, and are
/// counted. The newest `max_recent` ended regions are kept for calls that are read after them. Pure. Not
/// thread-safe.
class ThreadRegions {
 public:
  static constexpr std::size_t max_waiting = 65536;
  static constexpr std::size_t max_recent = 2048;
  /// Receives a call and the number of its region's name; nullopt: it was outside of regions.
  using Found = std::function<void(const PhasedCall&, std::optional<std::uint32_t>)>;

  /// A region has ended. To be called in the order of their ends.
  void end(std::uint32_t name, std::uint64_t start, std::uint64_t end, const Found& found);
  /// A region is open: the innermost open one in the newest view.
  void open(std::uint32_t name, std::uint64_t start) { open_ = Region{name, start, 0}; }
  void add(const PhasedCall& call, const Found& found);
  /// There are no more regions: `found` gets all waiting calls. `last`: the end of the thread's last event.
  void settle(std::uint64_t last, const Found& found);

  /// Whether the thread has passed a region.
  [[nodiscard]] bool any() const noexcept { return open_.has_value() || !inside_.empty(); }
  /// The exclusive time of regions, by name: without the regions inside them.
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& inside() const noexcept { return inside_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Region {
    std::uint32_t name{0};
    std::uint64_t start{0};
    std::uint64_t end{0};
  };
  /// The time of adjacent regions around which no region has been seen.
  struct Uncovered {
    std::uint64_t start{0};
    std::uint64_t ticks{0};
  };
  static constexpr std::size_t max_uncovered = 4096;

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
