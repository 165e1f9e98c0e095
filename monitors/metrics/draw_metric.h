#pragma once

#include <memory>
#include <string>

#include "monitors/drawing/drawing.h"
#include "scopes/metrics/compiler/dataflow.h"
#include "scopes/metrics/compiler/graph.h"

namespace eventspace {

/// The picture of a metric, in Graphviz' language. Reads the files of metrics. Throws ConfigurationError if
/// they are invalid, if the metric does not exist or cannot be measured, if no object matches, or if the
/// picture would be too large to be read.
std::string draw_metric(const std::shared_ptr<const Plan>& plan, const MetricPicture& picture);

/// The title of a picture.
struct PictureTitle {
  std::string title;
  std::string line;
};
/// A graph with its roots on top. `objects`: may be null. Pure.
std::string draw_graph(const metrics::Graph& graph, const metrics::Definition& definition,
                       const metrics::ObservedObjects* objects, const PictureTitle& title);
/// A dataflow of `graph`, with the measured objects on top; arrows are queues. `is_divided`: each place has a
/// frame. Pure.
std::string draw_dataflow(const metrics::Dataflow& flow, const metrics::Graph& graph,
                          const metrics::Definition& definition, const metrics::ObservedObjects& objects,
                          bool is_divided, const PictureTitle& title);

}  // namespace eventspace
