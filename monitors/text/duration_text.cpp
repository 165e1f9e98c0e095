#include "monitors/text/duration_text.h"

#include <cstdint>
#include <map>
#include <string>

#include "tuplespace/parsing/number_in.h"

namespace eventspace {

std::optional<std::chrono::nanoseconds> duration_from(std::string_view text) {
  static const std::map<std::string, double> units{
      {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
  const auto number = take_number<double>(text);
  if (!number) return std::nullopt;
  const std::string unit(text.empty() ? "s" : text);
  constexpr double longest = 2562047 * 3600e9;  // hours that fit
  if (!units.contains(unit) || !(*number >= 0 && *number * units.at(unit) <= longest)) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(*number * units.at(unit)));
}

}  // namespace eventspace
