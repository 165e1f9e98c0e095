#include "monitors/text/size_text.h"

#include <array>
#include <charconv>
#include <utility>

namespace eventspace {

std::optional<std::uint64_t> size_from(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(last, static_cast<std::size_t>(end - last));
  for (const auto& [name, bytes] : units) {
    if (unit == name && number >= 0 && number * bytes <= 0x1p62)
      return static_cast<std::uint64_t>(number * bytes);
  }
  return std::nullopt;
}

}  // namespace eventspace
