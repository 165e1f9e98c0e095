#pragma once

#include <vector>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/history/observed_objects.h"

namespace eventspace::metrics {

/// The objects for which a metric is measured (grid-distributed-evaluation, section 6.3.2). Plain data.
struct MeasuredObjects {
  /// All objects; must outlive everything that is made from this.
  const ObservedObjects* all{nullptr};
  /// The numbers of the chosen objects, for each parameter of the metric that takes objects.
  std::vector<std::vector<std::uint32_t>> chosen{};
};

/// Defines a metric for objects. Each variable that ranges over objects is replaced by these objects, so that
/// the graph has a part for each object. Everything that depends on neither time nor events is computed:
/// attributes of objects, comparisons with them, and conditions that choose objects. A metric that takes one
/// object has a root for each choice. The count of a built-in metric over several objects becomes a sum over
/// them. Takes time in proportion to the size of the result. Pure. Throws ConfigurationError if the result
/// would have more than Graph::max_nodes.
///
/// `graph`: the result of graph_of(definition).
Graph defined_for(const MeasuredObjects& objects, const Graph& graph, const Definition& definition);

}  // namespace eventspace::metrics
