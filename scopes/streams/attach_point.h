#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "paths/views/rank_set.h"

namespace eventspace::streams {

/// Where a process attaches to a network of streams. An attach point is valid as long as the network.
struct AttachPoint {
  std::string network;   ///< the network's name
  std::string endpoint;  ///< of the process that becomes the parent: "ipc://PATH" or "tcp://HOST:PORT"
  /// The rank to attach as; without it, the parent gives one of those that it has free.
  std::optional<RankSet::Rank> rank{};
};

}  // namespace eventspace::streams
