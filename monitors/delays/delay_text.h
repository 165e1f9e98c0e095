#pragma once

#include <string>
#include <vector>

#include "monitors/delays/delay_report.h"
#include "monitors/text/json.h"
#include "scopes/tree/plan_names.h"

namespace eventspace {

/// "FIRST CAUSE t0: 92% of the 12.3s that 7 threads waited for others began with it; it waited 1.2ms itself".
/// Several threads that stand out share a line. Empty if none does. Pure, like the others.
std::string describe_first_cause(const DelayReport& report, const PlanNames& names);
/// The same, or the reason why no thread is named; never empty.
std::string describe_delays(const DelayReport& report, const PlanNames& names);
/// "first cause", "spread", "unknown" or "nothing".
std::string_view to_string(DelayReport::Finding finding) noexcept;
/// {"finding", "causes": [names], "waited_s", "unknown_s"}
Json json_of_delays(const DelayReport& report, const PlanNames& names);

/// Columns and rows of the table of participating threads: thread, held_up_s, share, waited_s, unknown_s,
/// first_cause. `has_words`: durations and shares in readable units.
std::vector<std::string> delay_columns();
std::vector<std::vector<Json>> delay_rows(const DelayReport& report, const PlanNames& names, bool has_words);

}  // namespace eventspace
