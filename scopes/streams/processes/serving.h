#pragma once

#include <algorithm>
#include <cstddef>

#include "paths/links/network.h"

namespace eventspace::streams {

/// The limits of a process with this many children.
[[nodiscard]] inline NetworkLimits limits_for(std::size_t children) {
  NetworkLimits limits;
  // Some more, as a child's loss may be noticed after its successor has connected.
  const std::size_t connections = children + children / 4 + 16;
  limits.connections = std::max(limits.connections, connections);
  limits.open_targets = std::max(limits.open_targets, 4 * connections);
  return limits;
}

}  // namespace eventspace::streams
