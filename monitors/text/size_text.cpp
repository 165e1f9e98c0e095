#include "monitors/text/size_text.h"

#include <array>
#include <utility>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

std::optional<std::uint64_t> size_from(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
      {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}}};
  const auto number = take_number<double>(text);
  if (!number) return std::nullopt;
  for (const auto& [name, bytes] : units) {
    if (text == name && *number >= 0 && *number * bytes <= 0x1p62)
      return static_cast<std::uint64_t>(*number * bytes);
  }
  return std::nullopt;
}

}  // namespace eventspace
