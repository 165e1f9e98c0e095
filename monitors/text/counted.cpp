#include "monitors/text/counted.h"

#include <fmt/format.h>

namespace eventspace {

std::string counted(std::uint64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  return fmt::format("{} {}{}", count, noun, noun.ends_with('s') || noun.ends_with('x') ? "es" : "s");
}

}  // namespace eventspace
