#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "monitors/metrics/readings/metric_reading.h"

namespace eventspace {

/// What a plot of a measurement shows: the values of each metric and object. Keeps a bounded number: of more
/// than `most_points` values of an object every second is dropped, again and again, and more than
/// `most_series` objects are counted only. Pure. Not thread-safe.
class PlotData {
 public:
  static constexpr std::size_t most_points = 1024;
  static constexpr std::size_t most_series = 4096;

  struct Point {
    double x{0.0};              ///< seconds since the measurement started, or the virtual time
    double y{0.0};              ///< in the unit of the metric
    bool is_behind_gap{false};  ///< between it and the point before, a value is missing
  };
  /// The values of one object, or of a pair of objects.
  struct Series {
    std::vector<std::string> objects;
    std::vector<Point> points{};
    double newest{0.0};
    std::uint64_t stride{1};  ///< one value of so many is kept
    std::uint64_t taken{0};   ///< values so far
    bool is_in_gap{false};    ///< a value is missing behind the last point that is kept
  };
  struct Metric {
    std::string name;
    metrics::DisplayUnit unit;
    bool has_virtual_time{false};
    std::vector<Series> series{};  ///< in the order in which the objects were seen
    std::uint64_t left_out{0};     ///< values of objects beyond most_series
    std::uint64_t lost{0};         ///< events that are missing in the last reading
  };

  /// Takes a reading. Values that are no number are left out, and are gaps; so are those of objects that a
  /// reading without virtual times does not name.
  void take(const MetricReading& reading);
  [[nodiscard]] const std::vector<Metric>& metrics() const noexcept { return metrics_; }

 private:
  struct Places {
    std::size_t metric{0};
    std::map<std::vector<std::string>, std::size_t> series{};
  };
  static void keep(Series& series, Point point);
  void take(const metrics::Measurement::Value& value, const MetricReading& reading, Places& places);

  std::vector<Metric> metrics_;
  std::map<std::string, Places> places_;
};

}  // namespace eventspace
