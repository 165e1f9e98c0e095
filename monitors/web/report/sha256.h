#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eventspace::web {

/// The SHA-256 hash (FIPS 180-4) of a text, for content security policies, which name scripts by it.
std::array<std::uint8_t, 32> sha256(std::string_view text);

}  // namespace eventspace::web
