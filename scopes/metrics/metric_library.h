#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// A fault in a file of metrics: its position, and text with the wrong input and the allowed ones.
struct MetricFault {
  std::size_t line{1};    ///< from 1
  std::size_t column{1};  ///< in bytes, from 1
  std::string text;
};

/// The metrics that can be measured: the metrics of all added files, in order. docs/metrics.md describes the
/// language, which is the language of grid-distributed-evaluation, sections 6.2 and 7.2, with decisions where
/// its grammar (figure 6.5) is open. A metric can use earlier metrics and the built-in ones. Not thread-safe;
/// several threads can read a library that does not change.
class MetricLibrary {
 public:
  /// The metrics that come with EventSpace.
  static const MetricLibrary& shipped();

  /// Adds the metrics of a file, given as text. Returns all of its faults, in the order of the text; if there
  /// is a fault, nothing is added. Takes time in proportion to the length of the text.
  [[nodiscard]] std::vector<MetricFault> add(std::string_view text);

  [[nodiscard]] std::span<const Metric> metrics() const noexcept { return metrics_; }
  /// Returns the index of the metric in metrics(), or nothing if the metric does not exist.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const noexcept;

 private:
  std::vector<Metric> metrics_;
};

}  // namespace eventspace::metrics
