#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "monitors/whatif/actions/action.h"

namespace eventspace::whatif {

// Amounts in texts of programs and networks. Reading is exact, rounded to the nearest unit. Nullopt means not
// such an amount, negative, or too large. Pure.

/// "3.356ms", with the units ps, ns, us, ms, s, min and h; a number without a unit is refused, except 0.
std::optional<Picoseconds> time_from(std::string_view text);
/// The shortest text that is read as the same time: "3.356ms".
std::string to_text(Picoseconds time);

/// "48B", "1.5KiB", "64kB" and a number of bytes.
std::optional<std::uint64_t> bytes_from(std::string_view text);

/// Bits per second: "10Mb/s", "2.5Gb/s", or bytes: "125MB/s". At least one bit per second.
std::optional<double> rate_from(std::string_view text);
std::string rate_text(double bits_per_second);

/// "x0.5" or "0.5": a factor from 0 to 1000000.
std::optional<double> factor_from(std::string_view text);

/// A number of the form 1, 1.5 or 1e6.
std::optional<double> real_from(std::string_view text);

}  // namespace eventspace::whatif
