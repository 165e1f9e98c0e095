#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/metrics/readings/metric_reading.h"

namespace eventspace {

/// The data of a plot: the values of each metric and object. Their number is bounded: when an object has more
/// than `max_points` values, every second one is dropped, repeatedly; objects beyond `max_series` are only
/// counted. Pure. Not thread-safe.
class PlotData {
 public:
  static constexpr std::size_t max_points = 1024;
  static constexpr std::size_t max_series = 4096;

  struct Point {
    double x{0.0};              ///< seconds since the measurement started, or the virtual time
    double y{0.0};              ///< in the unit of the metric
    bool is_behind_gap{false};  ///< a value is missing between it and the previous point
  };
  /// The values of one object, or of a pair of objects.
  struct Series {
    std::vector<std::string> objects;
    std::vector<Point> points{};
    double newest{0.0};
    std::uint64_t stride{1};  ///< one of this many values is kept
    std::uint64_t taken{0};   ///< values so far
    bool is_in_gap{false};    ///< a value is missing after the last kept point
  };
  struct Metric {
    std::string name;
    metrics::DisplayUnit unit;
    bool has_virtual_time{false};
    std::vector<Series> series{};  ///< in the order in which objects were first seen
    std::uint64_t left_out{0};     ///< values of objects beyond max_series
    std::uint64_t lost{0};         ///< events missing in the last reading
  };

  /// Takes a reading. Values that are not numbers are left out and leave gaps. So do objects that a reading
  /// without virtual times does not contain.
  void take(const MetricReading& reading);
  [[nodiscard]] const std::vector<Metric>& metrics() const noexcept { return metrics_; }

 private:
  struct Places {
    std::size_t metric{0};
    std::map<std::vector<std::string>, std::size_t> series{};
  };
  static void keep(Series& series, Point point);
  void take(const metrics::MetricValue& value, const MetricReading& reading, Places& places);

  std::vector<Metric> metrics_;
  std::map<std::string, Places> places_;
};

}  // namespace eventspace
