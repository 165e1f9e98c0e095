#include "monitors/metrics/draw_metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include <eventspace/error.h>
#include "monitors/text/counted.h"
#include "pathmaps/plan/plan_names.h"
#include "paths/parameters/glob.h"
#include "scopes/metrics/compiler/locations.h"
#include "scopes/metrics/compiler/partial_evaluation.h"
#include "scopes/metrics/measured_metric.h"
#include "scopes/metrics/metric_files.h"

namespace eventspace {
namespace {

using metrics::Base;
using metrics::Dataflow;
using metrics::Definition;
using metrics::Graph;
using metrics::MeasuredObjects;
using metrics::ObservedObjects;

constexpr std::size_t max_boxes = 300;

Definition definition_for(const MetricPicture& picture) {
  const MetricFiles read = read_metric_files(picture.files);
  if (!read.faults.empty()) throw ConfigurationError(fmt::format("{}", fmt::join(read.faults, "\n")));
  return definitions_of({picture.metric}, read.library)[0];
}

ObservedObjects observed_objects_of(const std::shared_ptr<const Plan>& plan) {
  const NamesOfPlan names(plan);
  ObservedObjects objects;
  for (std::uint32_t i = 0; i < plan->processes.size(); ++i) (void)objects.process(i, names);
  for (std::uint32_t i = 0; i < plan->threads.size(); ++i) {
    const auto process = process_of_thread(*plan, i);
    if (plan->threads[ThreadIndex(i)].is_thread() && process) (void)objects.thread(i, *process, names);
  }
  return objects;
}

/// Selects the matching objects of the first parameter, and all objects of the others.
MeasuredObjects chosen_from(const ObservedObjects& objects, const Definition& definition,
                            const MetricPicture& picture) {
  MeasuredObjects made{&objects, {}};
  made.chosen.resize(definition.parameters.size());
  bool is_first = true;
  for (std::size_t i = 0; i < made.chosen.size(); ++i) {
    const Base base = definition.parameters[i].type.base;
    if (!metrics::is_object(base)) continue;
    const bool is_asked = std::exchange(is_first, false) && !picture.objects.empty();
    for (std::uint32_t object = 0; object < objects.count(base); ++object) {
      if (!is_asked || glob_match(picture.objects, objects.name(base, object)))
        made.chosen[i].push_back(object);
    }
    if (made.chosen[i].empty())
      throw ConfigurationError(fmt::format("--objects '{}' matches none of the {} of the pathmap",
                                           picture.objects, counted(objects.count(base), "object")));
  }
  return made;
}

void check_size(std::size_t boxes) {
  if (boxes <= max_boxes) return;
  throw ConfigurationError(
      fmt::format("the picture would have {}; the limit is {}; choose fewer objects with --objects GLOB",
                  counted(boxes, "part"), max_boxes));
}

std::string draw_flow(const Graph& graph, const Definition& definition, const ObservedObjects& objects,
                      const MetricPicture& picture) {
  const Dataflow whole = dataflow_of(graph, metrics::locate(graph, definition, &objects));
  const Dataflow flow = picture.graph == MetricGraph::parts ? divided(whole) : whole;
  check_size(flow.units.size());
  const PictureTitle title{fmt::format("metric {}", definition.name),
                           picture.graph == MetricGraph::parts
                               ? "parts that servers evaluate, and parts that the front-end evaluates"
                               : "dataflow: units, when they fire, and the queues between them"};
  return draw_dataflow(flow, graph, definition, objects, picture.graph == MetricGraph::parts, title);
}

}  // namespace

std::string draw_metric(const std::shared_ptr<const Plan>& plan, const MetricPicture& picture) {
  const Definition definition = definition_for(picture);
  const auto draw = [&](const Graph& graph, const ObservedObjects* objects, const std::string& line) {
    check_size(graph.nodes.size());
    return draw_graph(graph, definition, objects, {fmt::format("metric {}", definition.name), line});
  };
  if (picture.graph == MetricGraph::tree)
    return draw(metrics::tree_of(definition), nullptr, "as written: a tree");
  if (picture.graph == MetricGraph::dag)
    return draw(with_shared_leaves(metrics::tree_of(definition)), nullptr, "with shared leaves");
  const Graph shared = metrics::graph_of(definition);
  if (picture.graph == MetricGraph::shared) return draw(shared, nullptr, "without common subexpressions");
  const ObservedObjects objects = observed_objects_of(plan);
  const Graph defined =
      without_common_parts(defined_for(chosen_from(objects, definition, picture), shared, definition));
  if (picture.graph == MetricGraph::defined) return draw(defined, &objects, "defined for its objects");
  return draw_flow(defined, definition, objects, picture);
}

}  // namespace eventspace
