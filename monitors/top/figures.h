#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "monitors/heartbeat/heartbeat_analysis.h"
#include "monitors/top/terminal/page.h"

namespace eventspace::top {

// Format figures for columns: at most six characters, "-" if unknown.

std::string rate_text(std::optional<double> per_second);  ///< "0", "0.25", "512", "12.3k", "1.20M"
std::string count_text(std::uint64_t count);              ///< "12345", "1.20M"
std::string share_text(std::optional<double> share);      ///< "0%", "12%", "250%"
std::string duration_text(std::optional<std::chrono::nanoseconds> duration);  ///< "35.0ms", "2m5s", "3h12m"

// As above, as fields that can be sorted.

Field rate_field(std::optional<double> per_second);
Field count_field(std::uint64_t count, Style style = Style::plain);
Field share_field(std::optional<double> share);
Field duration_field(std::optional<std::chrono::nanoseconds> duration, Style style = Style::plain);

/// A verdict in at most nine characters, and the style that shows its severity.
Style verdict_style(Verdict verdict);

}  // namespace eventspace::top
