#pragma once

// Private to scopes/.

#include <algorithm>
#include <cstddef>

#include "paths/links/network.h"

namespace eventspace::streams {

/// The limits of a process with so many children.
[[nodiscard]] inline NetworkLimits limits_for(std::size_t children) {
  NetworkLimits limits;
  // Some more, as a child that is gone is noticed after one that takes its place has come.
  const std::size_t connections = children + children / 4 + 16;
  limits.connections = std::max(limits.connections, connections);
  limits.open_targets = std::max(limits.open_targets, 4 * connections);
  return limits;
}

}  // namespace eventspace::streams
