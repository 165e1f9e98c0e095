#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/history/observed_objects.h"

namespace eventspace::metrics {

/// Where a part of a graph can be evaluated without data of other places (grid-distributed-evaluation,
/// section 6.5.1).
struct Location {
  enum class Kind : std::uint8_t {
    anywhere,  ///< constants, the clock
    host,  ///< at the server of one node: number `host` of ObservedObjects::nodes(), or, before a metric is
           ///< defined for objects, the node of the object for which variable `host` stands
    front_end  ///< where the results of several places meet
  };
  Kind kind{Kind::anywhere};
  std::uint32_t host{0};
  friend bool operator==(const Location&, const Location&) = default;
};

/// Why a part is evaluated at the front-end.
enum class Reason : std::uint8_t {
  none,            ///< it is not evaluated there
  several,         ///< values of several objects meet
  at_reading,      ///< it combines values that are read at one moment, which is the front-end's
  partners,        ///< partners at a probe, which are objects of other nodes
  several_clocks,  ///< it uses the clock for more than subtracting its times
  unknown          ///< servers would refuse it
};
std::string_view to_string(Reason reason) noexcept;

struct Placement {
  Location location{};
  Reason reason{Reason::none};
  /// The factor of the clock's time in the value: 0 for a duration, 1 for a time, which the receiver has to
  /// convert.
  std::int8_t times{0};
  bool is_of_reading{false};  ///< depends on the moment of the reading
};

/// Places each node of a graph, from its operands to the roots.
///
/// This deviates from the thesis in two ways. The front-end combines values that are read at a reading (no
/// probe is in them), so that all values of a reading belong to one moment, and a server that restarts loses
/// none; servers send the increments of their counts. Values of several objects meet at the front-end even if
/// the objects are on one node. Pure.
///
/// `objects`: the objects for which the graph was defined; null for graph_of().
std::vector<Placement> locate(const Graph& graph, const Definition& definition,
                              const ObservedObjects* objects);

}  // namespace eventspace::metrics
