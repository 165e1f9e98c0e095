#pragma once

// Private to scopes/.

#include <cstdint>
#include <string_view>
#include <vector>

#include "scopes/metrics/compiler/graph.h"
#include "scopes/metrics/evaluation/observed_objects.h"

namespace eventspace::metrics {

/// Where a part of a graph can be evaluated without data of others (grid-distributed-evaluation, section
/// 6.5.1).
struct Location {
  enum class Kind : std::uint8_t {
    anywhere,  ///< constants, the clock
    host,  ///< at the server of one node, which is number `host` of ObservedObjects::nodes(); or, before a
           ///< metric is defined for objects, at that of the object for which variable `host` stands
    front_end  ///< where the results of several meet
  };
  Kind kind{Kind::anywhere};
  std::uint32_t host{0};
  friend bool operator==(const Location&, const Location&) = default;
};

/// Why a part is evaluated at the front-end.
enum class Reason : std::uint8_t {
  none,            ///< it is not
  several,         ///< values of several objects meet
  at_reading,      ///< it is made of values that are read at one moment, which is the front-end's
  partners,        ///< partners at a probe, which are objects of other nodes
  several_clocks,  ///< it does more with the clock than to subtract its times
  unknown          ///< servers would not take it
};
std::string_view to_string(Reason reason) noexcept;

struct Placement {
  Location location{};
  Reason reason{Reason::none};
  /// How often the time of the clock is in the value: 0 of a duration, 1 of a time, which has to be converted
  /// where it arrives.
  std::int8_t times{0};
  bool is_of_reading{false};  ///< depends on the moment of the reading
};

/// The place of each node of a graph, from its operands to the roots.
///
/// Deviations from the thesis, on purpose: what is read at a reading (no probe is in it) is combined at the
/// front-end, so that all values of a reading belong to one moment, and a server that restarts loses none;
/// what servers send of it is how much has been counted since. And values of several objects meet at the
/// front-end, also if they are on one node. Pure.
///
/// `objects`: those for which the graph was defined; null for graph_of().
std::vector<Placement> locate(const Graph& graph, const Definition& definition,
                              const ObservedObjects* objects);

}  // namespace eventspace::metrics
