#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scopes/metrics/language/typed_tree.h"

namespace eventspace::metrics {

/// A fault in a file of metrics: where it is, and what was found and what is allowed.
struct MetricFault {
  std::size_t line{1};    ///< from 1
  std::size_t column{1};  ///< in bytes, from 1
  std::string text;
};

/// The metrics that can be measured: those of the files that were added, in their order. docs/metrics.md
/// describes the language; it is that of grid-distributed-evaluation, sections 6.2 and 7.2, with the
/// decisions that its grammar (figure 6.5) leaves open. A metric can use those before it, and the built-in
/// ones. Not thread-safe; a library that does not change can be read by several threads.
class MetricLibrary {
 public:
  /// The metrics that come with EventSpace.
  static const MetricLibrary& shipped();

  /// Adds the metrics of a file, given as text. Returns all of its faults, in the order of the text; after a
  /// fault nothing was added. Takes time in proportion to the length of the text.
  [[nodiscard]] std::vector<MetricFault> add(std::string_view text);

  [[nodiscard]] std::span<const Metric> metrics() const noexcept { return metrics_; }
  /// Returns the number of the metric in metrics(); none if there is no such metric.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const noexcept;

 private:
  std::vector<Metric> metrics_;
};

}  // namespace eventspace::metrics
