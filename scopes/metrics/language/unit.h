#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace::metrics {

/// The dimension of a value: powers of a second and of a byte. Both are 0 for a number of things, or a share.
/// Plain data.
struct Unit {
  std::int8_t seconds{0};
  std::int8_t bytes{0};

  friend bool operator==(const Unit&, const Unit&) = default;
};

inline constexpr Unit no_unit{};
inline constexpr Unit second{1, 0};
inline constexpr Unit byte{0, 1};

/// The unit of a product, and of a quotient; nothing if a power leaves -9 to 9.
std::optional<Unit> times(Unit left, Unit right) noexcept;
std::optional<Unit> divided(Unit left, Unit right) noexcept;

/// Returns a text such as "s", "B/s", "1/s^2" or "B*s"; "1" for no unit.
std::string to_string(Unit unit);

/// How the values of a metric are written: each is divided by `scale` and followed by `label`.
struct DisplayUnit {
  std::string label;
  Unit unit;
  double scale{1.0};  ///< in seconds and bytes
};

/// Returns the unit of this name: s, ms, us, ns, min, h, B, KiB, MiB, GiB, %, or one of these without %
/// divided by s or multiplied by s ("MiB/s", "B*s"), or 1/s. Any other text is a label of plain numbers, such
/// as "iterations"; a label that ends in "/s" is for numbers per second. Returns nothing unless a label has 1
/// to 40 printable characters.
std::optional<DisplayUnit> display_unit(std::string_view name);
/// Returns the display unit for values without their own: seconds, bytes, and so on.
DisplayUnit display_unit(Unit unit);
/// Returns the display unit for values of this unit divided by seconds: "B/s" for "B", "MiB/s^2" for "MiB/s",
/// "1/s" for a plain number.
DisplayUnit per_second(const DisplayUnit& unit);

}  // namespace eventspace::metrics
