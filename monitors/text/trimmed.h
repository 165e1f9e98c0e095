#pragma once

// Private to monitors/.

#include <string_view>

namespace eventspace {

/// `text` without leading and trailing blanks. Pure.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

}  // namespace eventspace
