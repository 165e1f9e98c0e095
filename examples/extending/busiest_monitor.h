#pragma once

#include <optional>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace example {

/// A template for monitors: returns the thread with the most events in one pull through `scope`, or nothing
/// if the pull yielded no event. Blocks for one second at most.
std::optional<std::string> busiest_thread(eventspace::Consumer& consumer, const std::string& scope);

}  // namespace example
