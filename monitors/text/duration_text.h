#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace eventspace {

/// Reads a duration with a unit (us, ms, s, min or h), "500ms" or "10s"; a number without a unit is seconds.
/// Nullopt if `text` is not a duration, or is negative or longer than 2562047h. Pure.
std::optional<std::chrono::nanoseconds> duration_from(std::string_view text);

}  // namespace eventspace
