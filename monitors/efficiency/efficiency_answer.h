#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/efficiency/efficiency_report.h"

namespace eventspace::efficiency {

/// What limits the parallel efficiency most.
enum class Limit : std::uint8_t {
  nothing,  ///< each factor is at least `good_enough`
  load_balance,
  serialisation,
  transfer,
  communication,      ///< serialisation or transfer: the bounds do not say which
  indistinguishable,  ///< communication, but the error of the clocks is larger than the time that it takes
  unknown             ///< processes did not record all calls
};
inline constexpr double good_enough = 0.95;
std::string_view to_string(Limit limit) noexcept;

struct Answer {
  Limit limit{Limit::nothing};
  std::string by{};    ///< the unit or the calls that spoil the factor most; empty if none stands out
  double cost_ns{0};   ///< time that `by` costs; of calls that were not simulated, at most
  std::string text{};  ///< one line
};

/// The limit, the unit or calls that it is due to, and both in a sentence. Units are not named for
/// differences below the error of the clocks. Pure. REQUIRES: the whole run has factors.
Answer answer_of(const EfficiencyReport& report);
/// "93 %", or "93 to 97 %". Pure.
std::string range_text(const Range& range);
/// Sentences that say how sure the report is, the most important first. Pure.
std::vector<std::string> confidence_of(const EfficiencyReport& report);

}  // namespace eventspace::efficiency
