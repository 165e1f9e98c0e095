#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eventspace::web {

std::string base64(std::span<const std::uint8_t> bytes);

/// The text compressed for a browser's DecompressionStream("deflate"), in base64.
std::string packed(std::string_view text);

}  // namespace eventspace::web
