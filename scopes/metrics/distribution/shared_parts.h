#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// A metric that takes results of a part that servers evaluate for several metrics. It maps the numbers of
/// the part to the numbers of the metric. The number in the part of a counter, a collection, or a sampler or
/// stream (streams follow the samplers) is the requester identifier of a token (grid-distributed-evaluation,
/// section 6.8.3): it determines the metrics that the token is for. Plain data.
struct Requester {
  /// Number in the part -> number in the metric.
  using Numbers = std::map<std::uint32_t, std::uint32_t>;

  std::uint32_t metric{0};  ///< number in the list of all metrics
  Numbers counters{};
  Numbers samplers{};  ///< with streams
  Numbers collections{};
};

/// Returns the tokens of a part that are for a requester, with the requester's numbers. Tokens that concern
/// all metrics, such as new threads or the restart of a server, go to each requester (the wildcard, 0, of the
/// thesis). Losses of a sampler or counter go to the requesters that need it. Pure.
Tokens routed(const Tokens& tokens, const Requester& requester);

/// The parts that servers evaluate for several metrics of one measurement. Equal counters, samplers, streams
/// and collections of the metrics exist once, whatever their parameters and variables are called, and their
/// tokens are sent once. Immutable, so threads may share it.
class SharedParts {
 public:
  SharedParts() = default;
  /// `of_metrics`: in the order of the metrics. Parts that cannot be joined stay apart: because the result is
  /// more than a server takes, or because they treat cut regions differently.
  explicit SharedParts(const std::vector<ServerPart>& of_metrics);

  [[nodiscard]] const std::vector<ServerPart>& parts() const& noexcept { return parts_; }
  [[nodiscard]] std::vector<ServerPart> parts() && noexcept { return std::move(parts_); }
  /// The metrics that take the results of each part.
  [[nodiscard]] const std::vector<std::vector<Requester>>& requesters() const noexcept { return requesters_; }

  /// Gives the tokens that servers sent with a view to the measurements, which are in the order of the
  /// metrics. Returns the number of parcels that were malformed, or that belong to no part.
  std::size_t deliver(const View& view, const std::vector<Measurement*>& measurements) const;

 private:
  /// `metrics`: the numbers of those to add.
  void add(const std::vector<ServerPart>& of_metrics, const std::vector<std::uint32_t>& metrics);

  std::vector<ServerPart> parts_;
  std::vector<std::vector<Requester>> requesters_;
};

}  // namespace eventspace::metrics
