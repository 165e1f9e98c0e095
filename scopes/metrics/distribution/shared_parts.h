#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "paths/views/view.h"
#include "scopes/metrics/distribution/division.h"
#include "scopes/metrics/evaluation/measurement.h"
#include "scopes/metrics/evaluation/tokens.h"

namespace eventspace::metrics {

/// A metric that takes results of a part that servers evaluate for several metrics: the numbers that it gives
/// itself to what has other numbers in the part. The number in the part of a counter, a sampler or a stream
/// (behind the samplers), or a collection is the requester identifier of a token
/// (grid-distributed-evaluation, section 6.8.3): it says which metrics the token is for. Plain data.
struct Requester {
  /// Number in the part -> number in the metric.
  using Numbers = std::map<std::uint32_t, std::uint32_t>;

  std::uint32_t metric{0};  ///< number in the list of all metrics
  Numbers counters{};
  Numbers samplers{};  ///< with streams
  Numbers collections{};
};

/// Returns what of a part's tokens is for a requester, with its own numbers. What is said of all, such as new
/// threads, or that a server was started anew, is for each requester (the wildcard, 0, of the thesis); what a
/// sampler or counter lost is for those that need it. Pure.
Tokens routed(const Tokens& tokens, const Requester& requester);

/// What servers evaluate for several metrics of one measurement: equal counters, samplers, streams and
/// collections of metrics are there once, whatever their parameters and variables are called, and a token of
/// them is sent once. Immutable, so that threads may share it.
class SharedParts {
 public:
  SharedParts() = default;
  /// `of_metrics`: in the order of the metrics. Those that cannot be put together, because the result is more
  /// than a server takes or because they treat cut regions differently, stay apart.
  explicit SharedParts(const std::vector<ServerPart>& of_metrics);

  [[nodiscard]] const std::vector<ServerPart>& parts() const noexcept { return parts_; }
  /// By part: the metrics that take its results.
  [[nodiscard]] const std::vector<std::vector<Requester>>& requesters() const noexcept { return requesters_; }

  /// Gives what servers sent with a view to the measurements, which are in the order of the metrics. Returns
  /// how many parcels were malformed, or of no part.
  std::size_t deliver(const View& view, const std::vector<Measurement*>& measurements) const;

 private:
  void add(std::vector<ServerPart> of_metrics, const std::vector<std::uint32_t>& metrics);

  std::vector<ServerPart> parts_;
  std::vector<std::vector<Requester>> requesters_;
};

}  // namespace eventspace::metrics
