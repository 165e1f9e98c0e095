#include "monitors/web/report/packed.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include <eventspace/error.h>

namespace eventspace::web {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, 3);
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) three = three << 8 | (i < count ? bytes[at + i] : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? digits[three >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string packed(std::string_view text) {
  constexpr int level = 9;
  uLongf size = ::compressBound(text.size());
  std::vector<std::uint8_t> bytes(size);
  const auto* const from = reinterpret_cast<const Bytef*>(text.data());
  if (::compress2(bytes.data(), &size, from, text.size(), level) != Z_OK)
    throw EnvironmentError("not enough memory to compress the report");
  return base64(std::span(bytes).first(size));
}

}  // namespace eventspace::web
