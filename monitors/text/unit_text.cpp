#include "monitors/text/unit_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "monitors/text/text_format.h"

namespace eventspace {
namespace {

// Units of one quantity, from small to large; each is `step` of the previous one.
struct Ladder {
  double step;
  std::span<const std::string_view> units;
  bool goes_down;  // below 1
};

constexpr std::array<std::string_view, 6> decimal_bytes{"B", "kB", "MB", "GB", "TB", "PB"};
constexpr std::array<std::string_view, 5> binary_bytes{"KiB", "MiB", "GiB", "TiB", "PiB"};
constexpr std::array<std::string_view, 4> units_of_time{"ns", "us", "ms", "s"};
constexpr std::array<Ladder, 3> ladders{
    {{1000, decimal_bytes, false}, {1024, binary_bytes, false}, {1000, units_of_time, true}}};

// The text that may follow the name of a unit: "/s", "*s".
bool may_follow(std::string_view rest) { return rest.empty() || rest.front() == '/' || rest.front() == '*'; }

// Seconds divided by seconds are not a time.
bool fits(const Ladder& ladder, std::string_view name, std::string_view unit) {
  if (!unit.starts_with(name)) return false;
  const std::string_view rest = unit.substr(name.size());
  return ladder.goes_down ? rest.empty() : may_follow(rest);
}

ScaledValue scaled_on(const Ladder& ladder, std::size_t rung, double number, std::string_view rest) {
  constexpr double rounds_up = 0.9995;  // 999.6 kB are 1 MB, with three digits
  const std::size_t given = rung;
  double value = number;
  while (std::abs(value) >= rounds_up * ladder.step && rung + 1 < ladder.units.size()) {
    value /= ladder.step;
    ++rung;
  }
  while (ladder.goes_down && value != 0.0 && std::abs(value) < rounds_up && rung > 0) {
    value *= ladder.step;
    --rung;
  }
  const std::string unit = fmt::format("{}{}", ladder.units[rung], rest);
  if (rung == given) return {number_text(number), unit};
  // Avoids 1.02e+03 KiB for 1023 KiB.
  return {std::abs(value) >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value), unit};
}

}  // namespace

ScaledValue scaled(double number, std::string_view unit) {
  for (const Ladder& ladder : ladders) {
    for (std::size_t rung = 0; rung < ladder.units.size() && std::isfinite(number); ++rung) {
      const std::string_view name = ladder.units[rung];
      if (fits(ladder, name, unit)) return scaled_on(ladder, rung, number, unit.substr(name.size()));
    }
  }
  return {number_text(number), std::string(unit)};
}

std::string with_unit(double number, std::string_view unit) {
  const ScaledValue value = scaled(number, unit);
  return fmt::format("{}{}{}", value.number, value.unit.empty() ? "" : " ", value.unit);
}

}  // namespace eventspace
