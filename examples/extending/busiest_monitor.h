#pragma once

#include <optional>
#include <string>

#include "pathmaps/sessions/consumer.h"

namespace example {

/// The thread with the most events in one pull through a scope: a template for monitors. Nothing when the
/// pull yielded no event.
std::optional<std::string> busiest_thread(eventspace::Consumer& consumer, const std::string& scope);

}  // namespace example
