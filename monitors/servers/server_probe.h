#pragma once

// Private to monitors/.

#include <chrono>
#include <cstdint>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace eventspace {

/// Who answers at the endpoint of a node's server.
struct ServerProbe {
  enum class Answer : std::uint8_t { none, ours, foreign } answer{Answer::none};
  std::int32_t pid{0};
  std::string who;  ///< of foreign: "port 7101 is taken by the server of node n1 of session 'x' (pid 17)"
};

/// Asks it, for at most `time`. Ours: of the consumer's session, and of a pathmap that means the same.
ServerProbe probe_server(Consumer& consumer, NodeIndex node, std::chrono::nanoseconds time);

}  // namespace eventspace
