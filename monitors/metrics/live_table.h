#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/metrics/readings/metric_reading.h"
#include "monitors/top/terminal/live_page.h"

namespace eventspace {

/// The live table of `measure`: a row for each metric and object with its newest value and its last values as
/// a line of bars, and for metrics with several objects a row with the sum, the mean and the greatest. Pure.
/// Not thread-safe.
class LiveTable final : public top::LivePage {
 public:
  static constexpr std::size_t max_kept = 64;  ///< values of a row that its bars can show

  using LivePage::LivePage;

  /// Takes a reading. If an object has several virtual times, the last one is its newest value.
  void take(const MetricReading& reading);

 private:
  struct Line {
    std::string metric;
    std::string objects;
    metrics::Datum newest{};
    std::optional<std::int64_t> virtual_time{};
    std::deque<double> kept{};  // NaN: missing
  };
  struct Total {
    std::size_t objects{0};
    double sum{0.0};
    double most{0.0};
    std::string greatest;  // the name of the object with the greatest value
  };

  [[nodiscard]] top::Page page() const override;
  [[nodiscard]] std::chrono::nanoseconds time() const override { return time_; }
  [[nodiscard]] std::string warning() const override;
  [[nodiscard]] top::Row row_of(const Line& line, const metrics::DisplayUnit& unit) const;
  [[nodiscard]] static top::Row row_of(const std::string& metric, const Total& total,
                                       const metrics::DisplayUnit& unit);
  [[nodiscard]] Total total_of(const std::string& metric, const metrics::DisplayUnit& unit) const;

  std::vector<std::pair<std::string, metrics::DisplayUnit>> metrics_;  // in the order of their first reading
  std::vector<Line> lines_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> places_;  // indices in lines_
  std::chrono::nanoseconds time_{};
  std::uint64_t lost_{0};
};

/// Returns the values as a line of bars, one character each, from 0 or the least to the greatest: "▁▃▆█", or
/// "_-+#" in ASCII. Values that are missing (NaN) are blanks. Pure.
std::string bars_of(const std::deque<double>& values, top::Charset charset);

}  // namespace eventspace
