#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/distribution/parts_description.h"
#include "scopes/metrics/distribution/shared_parts.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// The metrics of one `measure`, divided between servers and front-end; if one of them cannot be divided, or
/// the user requests it, all are evaluated here. Pure.
class DividedMetrics {
 public:
  /// The choices belong to the metrics, in the same order.
  DividedMetrics(const std::vector<metrics::Definition>& metrics,
                 const std::vector<metrics::MeasurementChoice>& choices, bool centralised);

  [[nodiscard]] bool is_divided() const noexcept { return !shared_.parts().empty(); }
  /// The reasons why metrics are not divided, a line for each metric: "METRIC is evaluated here: ...". Empty
  /// if the user requested it.
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept { return reasons_; }
  /// The part of each metric that is evaluated here. Requires is_divided().
  [[nodiscard]] const std::vector<metrics::Definition>& front_ends() const noexcept { return front_ends_; }
  /// Makes the servers evaluate their parts. Filters with this condition, which selects the events that the
  /// metrics need, then pass all events: no events are sent, and the evaluation skips events that it does not
  /// need faster than a condition is evaluated. Requires is_divided().
  void put_on(ScopeTree& tree, const std::string& condition) const;
  /// Passes results of servers to the measurements of front_ends(). Returns the number of malformed ones.
  std::size_t deliver(const View& view, const std::vector<metrics::Measurement*>& measurements) const {
    return shared_.deliver(view, measurements);
  }

 private:
  metrics::SharedParts shared_;
  metrics::PartsDescription description_;
  std::vector<metrics::Definition> front_ends_;
  std::vector<std::string> reasons_;
};

}  // namespace eventspace
