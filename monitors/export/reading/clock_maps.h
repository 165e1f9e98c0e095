#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "paths/views/view.h"

namespace eventspace::exports {

/// Converts the ticks of all processes of a recording to times of the recorder's clock, consistently at each
/// use. A monitor extrapolates from the last report of a process, so a tick may get a different time later,
/// and an event may begin before its enclosing event. Here, times are interpolated on a line through all
/// reports. Processes of one node that use the processor's counter share a line, so the order of their events
/// is exact.
///
/// Add all reports first, in order; then convert times. Lines have a bounded number of reports. Not
/// thread-safe.
class ClockMaps {
 public:
  /// `realtime_ns`: CLOCK_REALTIME of the recorder's machine when its CLOCK_MONOTONIC was 0, for processes
  /// whose clock was not related to it.
  explicit ClockMaps(std::int64_t realtime_ns) : realtime_ns_(realtime_ns) {}

  static constexpr std::size_t max_points = 8192;  ///< of a line
  void learn(const ProcessReport& report, std::string_view node);
  /// The time of a reading of the clock of the process that `report` describes. The error is unbounded if the
  /// clock was not related to the recorder's. Ascending ticks have nondecreasing times.
  [[nodiscard]] BoundedTime time(const ProcessReport& report, std::uint64_t ticks) const;

 private:
  struct Point {
    std::uint64_t ticks{0};
    std::int64_t ns{0};
  };
  struct Line {
    std::vector<Point> points;
    double ns_per_tick{1};
    std::int64_t apart_ns{250'000'000};  // points are at least so far apart
    std::optional<std::int64_t> error_ns{0};
  };
  // A run of a process, or a node whose processes use its counter.
  using Run = std::tuple<std::uint32_t, std::int32_t, std::uint64_t>;
  [[nodiscard]] Point point_of(const ProcessReport& report, std::optional<std::int64_t>& error) const;
  [[nodiscard]] std::size_t line_of(const ProcessReport& report, std::string_view node, const Point& point);
  static void add(Line& line, const Point& point);
  [[nodiscard]] static std::int64_t on_line(const Line& line, std::uint64_t ticks);

  std::int64_t realtime_ns_;
  std::vector<Line> lines_;
  std::map<Run, std::size_t> line_of_run_;
  std::map<std::string, std::size_t, std::less<>> line_of_node_;
};

}  // namespace eventspace::exports
