#pragma once

// Private to monitors/.

#include <cstddef>
#include <string>
#include <vector>

#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/distribution/metric_wrapper.h"
#include "scopes/metrics/distribution/shared_parts.h"
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

  [[nodiscard]] bool is_divided() const noexcept { return !shared_.parts().empty(); }
  /// Why not, a line for each metric: "METRIC is evaluated here: ...". Empty if the user wanted it.
  [[nodiscard]] const std::vector<std::string>& reasons() const noexcept { return reasons_; }
  /// What is evaluated here of each metric. Requires is_divided().
  [[nodiscard]] const std::vector<metrics::Definition>& front_ends() const noexcept { return front_ends_; }
  /// Lets the servers evaluate their parts. Filters with this condition, which is that of the events that the
  /// metrics need, let all events pass: none travels, and the evaluation passes by what it does not need,
  /// faster than a condition is evaluated. Requires is_divided().
  void put_on(ScopeTree& tree, const std::string& condition) const;
  /// Gives what servers sent to the measurements of front_ends(). Returns how much of it was malformed.
  std::size_t deliver(const View& view, const std::vector<metrics::Measurement*>& measurements) const {
    return shared_.deliver(view, measurements);
  }

 private:
  metrics::SharedParts shared_;
  std::vector<metrics::Definition> front_ends_;
  std::vector<std::string> reasons_;
};

}  // namespace eventspace
