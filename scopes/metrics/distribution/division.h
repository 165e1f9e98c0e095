#pragma once

// Private to scopes/.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/evaluation/chosen_objects.h"
#include "scopes/metrics/evaluation/definition.h"
#include "scopes/metrics/evaluation/region_counts.h"

namespace eventspace::metrics {

/// What a server evaluates of a metric over the events of its node. Plain data; it is sent to servers
/// (graph_codec.h).
struct ServerPart {
  /// Counters, samplers, streams and collections; of the parameters and variables only the types count. It
  /// has no root and no name.
  Definition definition{};
  std::vector<std::uint32_t> counters{};  ///< those whose counts are sent
  std::vector<std::uint32_t> samplers{};  ///< those whose values are sent
  ObjectPatterns objects{};
  /// When the measurement begins, by the clock of the node; 0: with the first view. A server that was started
  /// anew meanwhile reads on behind that, so it takes all that it reads (`everything`).
  std::int64_t start_ns{0};
  static constexpr std::int64_t everything = 1;
  CutRegions cut{CutRegions::partly};
};

/// A metric that is divided between servers and front-end.
struct Division {
  ServerPart server;
  Definition front_end;
};

/// Divides a metric (grid-distributed-evaluation, sections 6.5 and 6.6): what needs the events of one object
/// is evaluated by the server of its node; where its values meet those of others, they are sent. Servers send
///
/// - counts: what a built-in metric has counted of a thread, if it is read at readings;
/// - values of virtual times: of a sampler, or of an expression over samplers of one object (a stream);
/// - what an aggregate over the virtual times of one object has taken (a collection).
///
/// Returns the reason if it cannot be divided: then it is evaluated at the front-end, over the events. Pure.
std::variant<Division, Reason> divide(const Definition& definition, const ObjectPatterns& objects,
                                      CutRegions cut = CutRegions::partly);

}  // namespace eventspace::metrics
