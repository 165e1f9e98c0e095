#pragma once

#include <cstddef>

#include "scopes/metrics/distribution/division.h"

namespace eventspace::metrics {

/// The most that a server evaluates for one client at the same time; it refuses more.
struct ServerPartBounds {
  static constexpr std::size_t nodes{2000};
  static constexpr std::size_t depth{200};
  static constexpr std::size_t lists{256};  ///< counters, samplers, variables, streams ...
  static constexpr std::size_t parts{64};
};

/// Whether a server takes a part: the part is within the bounds; a server has all the values that it uses;
/// and the time to evaluate it for an event has a bound. Pure.
bool fits_a_server(const ServerPart& part);

/// The nodes of a definition, each counted once. Pure.
std::size_t node_count(const Definition& definition);

}  // namespace eventspace::metrics
