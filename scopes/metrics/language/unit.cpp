#include "scopes/metrics/language/unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

namespace eventspace::metrics {
namespace {

constexpr int greatest_power = 9;

std::optional<Unit> unit_of(int seconds, int bytes) noexcept {
  if (std::abs(seconds) > greatest_power || std::abs(bytes) > greatest_power) return std::nullopt;
  return Unit{static_cast<std::int8_t>(seconds), static_cast<std::int8_t>(bytes)};
}

struct NamedUnit {
  std::string_view name;
  Unit unit;
  double scale;
};

constexpr double kibi = 1024.0;
constexpr std::array<NamedUnit, 11> named_units{{{"s", second, 1.0},
                                                 {"ms", second, 1e-3},
                                                 {"us", second, 1e-6},
                                                 {"ns", second, 1e-9},
                                                 {"min", second, 60.0},
                                                 {"h", second, 3600.0},
                                                 {"B", byte, 1.0},
                                                 {"KiB", byte, kibi},
                                                 {"MiB", byte, kibi* kibi},
                                                 {"GiB", byte, kibi* kibi* kibi},
                                                 {"1", no_unit, 1.0}}};

constexpr NamedUnit percent{"%", no_unit, 0.01};

const NamedUnit* find(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(named_units, name, &NamedUnit::name);
  return found == named_units.end() ? nullptr : found;
}

bool is_label(std::string_view text) noexcept {
  constexpr std::size_t longest = 40;
  return !text.empty() && text.size() <= longest &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

void append_power(std::vector<std::string>& factors, std::string_view name, int power) {
  if (power == 1) factors.emplace_back(name);
  if (power > 1) factors.push_back(fmt::format("{}^{}", name, power));
}

}  // namespace

std::optional<Unit> times(Unit left, Unit right) noexcept {
  return unit_of(left.seconds + right.seconds, left.bytes + right.bytes);
}

std::optional<Unit> divided(Unit left, Unit right) noexcept {
  return unit_of(left.seconds - right.seconds, left.bytes - right.bytes);
}

std::string to_string(Unit unit) {
  std::vector<std::string> above;
  std::vector<std::string> below;
  append_power(above, "B", unit.bytes);
  append_power(above, "s", unit.seconds);
  append_power(below, "B", -unit.bytes);
  append_power(below, "s", -unit.seconds);
  std::string text = above.empty() ? "1" : fmt::format("{}", fmt::join(above, "*"));
  for (const std::string& factor : below) text += "/" + factor;
  return text;
}

std::optional<DisplayUnit> display_unit(std::string_view name) {
  if (name == percent.name) return DisplayUnit{"%", percent.unit, percent.scale};
  if (const NamedUnit* const known = find(name))
    return DisplayUnit{std::string(known->name), known->unit, known->scale};
  if (!is_label(name)) return std::nullopt;
  if (name.ends_with("/s^2") && name.size() > 4) {
    const auto once = display_unit(name.substr(0, name.size() - 2));
    return DisplayUnit{std::string(name), *divided(once->unit, second), once->scale};
  }
  if (name.ends_with("/s") && name.size() > 2) {
    const std::string_view stem = name.substr(0, name.size() - 2);
    if (const NamedUnit* const known = stem == "%" ? &percent : find(stem))
      return DisplayUnit{std::string(name), *divided(known->unit, second), known->scale};
    return DisplayUnit{std::string(name), *divided(no_unit, second), 1.0};
  }
  if (name.ends_with("*s")) {
    if (const NamedUnit* const known = find(name.substr(0, name.size() - 2)))
      return DisplayUnit{std::string(name), *times(known->unit, second), known->scale};
  }
  return DisplayUnit{std::string(name), no_unit, 1.0};
}

DisplayUnit per_second(const DisplayUnit& unit) {
  std::string label = unit.label.empty() ? "1/s" : unit.label + "/s";
  if (unit.label.ends_with("/s")) label = unit.label + "^2";
  if (unit.label.ends_with("*s")) label = unit.label.substr(0, unit.label.size() - 2);
  return {std::move(label), divided(unit.unit, second).value_or(unit.unit), unit.scale};
}

DisplayUnit display_unit(Unit unit) { return {unit == no_unit ? std::string{} : to_string(unit), unit, 1.0}; }

}  // namespace eventspace::metrics
