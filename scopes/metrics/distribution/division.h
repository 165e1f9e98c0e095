#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/evaluation/chosen_objects.h"
#include "scopes/metrics/history/region_counts.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The part of a metric that a server evaluates over the events of its node. Plain data. The front-end and
/// the servers make it from the same description (parts_description.h).
struct ServerPart {
  /// Counters, samplers, streams and collections. Only the types of parameters and variables matter. The
  /// result and the name are empty.
  Definition definition{};
  std::vector<std::uint32_t> counters{};  ///< counters whose counts are sent
  std::vector<std::uint32_t> samplers{};  ///< samplers whose values are sent
  ObjectPatterns objects{};
  /// When the measurement begins, by the clock of the node. 0 means with the first view. A restarted server
  /// continues reading after that moment, so it uses `everything` and takes all events that it reads.
  std::int64_t start_ns{0};
  static constexpr std::int64_t everything = 1;
  CutRegions cut{CutRegions::partly};
};

/// A metric that is divided between servers and the front-end.
struct Division {
  ServerPart server;
  Definition front_end;
};

/// Divides a metric (grid-distributed-evaluation, sections 6.5 and 6.6). The server of a node evaluates the
/// parts that need the events of one object; values are sent where they meet values of other objects. Servers
/// send
///
/// - counts: the counts of a built-in metric per thread, if readings use them;
/// - values of virtual times: from a sampler, or from an expression over samplers of one object (a stream);
/// - the values that an aggregate over the virtual times of one object has taken (a collection).
///
/// Returns the reason if the metric cannot be divided; the front-end then evaluates it over the events. Pure.
std::variant<Division, Reason> divide(const Definition& definition, const ObjectPatterns& objects,
                                      CutRegions cut = CutRegions::partly);

}  // namespace eventspace::metrics
