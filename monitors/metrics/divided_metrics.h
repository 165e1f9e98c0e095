#pragma once

// Private to monitors/.

#include <string>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace {

/// The metrics of one `measure`, divided between servers and front-end; or all of them evaluated here, if one
/// cannot be divided or the user wants it so. Pure.
class DividedMetrics {
 public:
  /// The choices belong to the metrics, in their order.
  DividedMetrics(const std::vector<metrics::Definition>& metrics,
                 const std::vector<metrics::MeasurementChoice>& choices, bool centralised);

  [[nodiscard]] bool is_divided() const noexcept { return !parts_.empty(); }
  /// Why not, a line for each metric: "METRIC is evaluated here: ...". Empty if the user wanted it.
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept { return reasons_; }
  /// What is evaluated here of each metric. Requires is_divided().
  [[nodiscard]] const std::vector<metrics::Definition>& front_ends() const noexcept { return front_ends_; }
  /// Lets the servers evaluate their parts. Requires is_divided().
  void put_on(ScopeTree& tree) const { metrics::evaluate_at_servers(tree, parts_); }

 private:
  std::vector<metrics::ServerPart> parts_;
  std::vector<metrics::Definition> front_ends_;
  std::vector<std::string> reasons_;
};

}  // namespace eventspace
