#pragma once

// Private to scopes/.

#include <span>
#include <vector>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/evaluation/observed_objects.h"

namespace eventspace::metrics {

/// The objects for which a metric is measured (grid-distributed-evaluation, section 6.3.2). Plain data.
struct MeasuredObjects {
  /// Those that there are; must outlive what is made of this.
  const ObservedObjects* all{nullptr};
  /// For each parameter of the metric that takes objects, the numbers of those that are chosen.
  std::vector<std::vector<std::uint32_t>> chosen{};
};

/// Defines a metric for objects: each variable that ranges over objects is replaced by these, so that there
/// is a part of the graph for each object, and what depends on neither time nor events is computed:
/// attributes of objects, what they are compared with, and what chooses them. A metric that takes one object
/// has a root for each choice. What a built-in metric counts over several objects becomes the sum over them.
/// Takes time in proportion to the size of the result. Pure. Throws ConfigurationError if the result would
/// have more than Graph::most_nodes.
///
/// `graph` is that of graph_of(definition).
Graph defined_for(const MeasuredObjects& objects, const Graph& graph, const Definition& definition);

}  // namespace eventspace::metrics
