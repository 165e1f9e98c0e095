#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "monitors/metrics/readings/metric_reading.h"
#include "monitors/top/terminal/frame.h"
#include "monitors/top/terminal/keys.h"
#include "monitors/top/terminal/page.h"

namespace eventspace {

/// The live table of `measure`: a row for each metric and object with its newest value and its last values as
/// a line of bars, and for metrics with several objects a row with the sum, the mean and the greatest.
/// Handles keys and draws frames. Pure. Not thread-safe.
class LiveTable {
 public:
  static constexpr top::Size smallest{5, 32};  ///< a smaller terminal shows only a message
  static constexpr std::size_t max_kept = 64;  ///< values of a row that its bars can show

  /// `title` describes the measurement.
  LiveTable(std::string title, top::Charset charset) : title_(std::move(title)), charset_(charset) {}

  /// Takes a reading. If an object has several virtual times, the last one is its newest value.
  void take(const MetricReading& reading);
  /// Adds a line, such as an alert, which is shown until five later ones have been added.
  void note(std::string line);
  void press(const top::Key& key);
  [[nodiscard]] top::Frame draw(top::Size size);

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Whether the user has paused the display; readings continue.
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }

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

  [[nodiscard]] top::Page page() const;
  [[nodiscard]] top::Row row_of(const Line& line, const metrics::DisplayUnit& unit) const;
  [[nodiscard]] static top::Row row_of(const std::string& metric, const Total& total,
                                       const metrics::DisplayUnit& unit);
  [[nodiscard]] Total total_of(const std::string& metric, const metrics::DisplayUnit& unit) const;
  void draw_bar(top::Frame& frame) const;
  void draw_foot(top::Frame& frame, std::size_t row, std::size_t rows, std::size_t count) const;

  std::string title_;
  top::Charset charset_;
  std::vector<std::pair<std::string, metrics::DisplayUnit>> metrics_;  // in the order of their first reading
  std::vector<Line> lines_;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> places_;  // indices in lines_
  std::deque<std::string> notes_;
  std::chrono::nanoseconds time_{};
  std::uint64_t lost_{0};
  std::size_t first_{0};       // the first row shown
  std::size_t shown_rows_{1};  // in the last frame
  bool is_paused_{false};
  bool is_over_{false};
};

/// Returns the values as a line of bars, one character each, from 0 or the least to the greatest: "▁▃▆█", or
/// "_-+#" in ASCII. Values that are missing (NaN) are blanks. Pure.
std::string bars_of(const std::deque<double>& values, top::Charset charset);

}  // namespace eventspace
