#pragma once

#include <cstdint>
#include <vector>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/compiler/locations.h"

namespace eventspace::metrics {

/// When a unit of a dataflow takes tokens and yields one.
enum class Firing : std::uint8_t {
  on_event,    ///< whenever an object passes a probe
  on_reading,  ///< whenever the metric is read
  on_all,      ///< when each queue has a token of the same virtual time, or of the same reading
  collects,    ///< takes each token when it arrives; yields one when it is read
  on_arrival   ///< a connector: when a token arrives from a server
};

/// A unit of a dataflow, which makes tokens (a data flow node of grid-distributed-evaluation, section 6.4).
struct FlowUnit {
  enum class Kind : std::uint8_t {
    measurement,  ///< the value of a built-in metric
    iterator,     ///< a constant, whenever an object passes a probe
    operation,
    collection,  ///< an aggregate over virtual times
    shift,       ///< of a virtual time
    connector    ///< tokens that a server sends
  };
  Kind kind{Kind::operation};
  Firing firing{Firing::on_all};
  std::uint32_t node{0};  ///< the node of the graph whose values it makes
  Location location{};
  /// Numbers of the probes that make it fire. The probe that fires it is the requester of the token.
  std::vector<std::uint32_t> probes{};
};

/// A bounded queue of tokens between two units (a data provider). Tokens have a value, a time, a virtual time
/// and a requester; a queue takes the tokens of its requester.
struct FlowQueue {
  static constexpr std::uint32_t nothing = 0xffffffff;
  static constexpr std::uint32_t any_requester = 0;

  std::uint32_t from{nothing};  ///< nothing: it holds a constant
  std::uint32_t to{nothing};    ///< nothing: the values of the metric
  std::uint32_t requester{any_requester};
  std::uint32_t node{0};  ///< the node of the graph whose values it holds
  std::uint32_t capacity{1};
};

/// The augmented dataflow graph of a metric (section 3.3.3). The graph from which it was made must outlive
/// it. Plain data.
struct Dataflow {
  std::vector<FlowUnit> units;  ///< ordered after the units whose tokens they take
  std::vector<FlowQueue> queues;
};

/// Makes the dataflow of a graph. An AT disappears, as its probe makes the units of its value fire; a shifted
/// virtual time becomes a unit. `places`: the placements of the nodes of the graph. Pure.
Dataflow dataflow_of(const Graph& graph, const std::vector<Placement>& places);

/// Divides a dataflow (sections 6.5.1 and 6.5.2): each unit is at the front-end, or at the host of its
/// location. A unit that several units share exists once if they are at one host, is copied to each host if
/// it can be anywhere, and is sent if one of them is at the front-end. Each queue from a host to the
/// front-end gets a connector, which takes its tokens there. Pure.
Dataflow divided(const Dataflow& whole);

}  // namespace eventspace::metrics
