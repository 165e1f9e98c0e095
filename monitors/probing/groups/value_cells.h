#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "monitors/probing/groups/number_spread.h"
#include "monitors/probing/measuring/measured_calls.h"
#include "monitors/text/json.h"

// Values of calls (`--value`) as cells of tables, for one process or for several.

namespace eventspace {

/// The value of one process.
NumberSpread spread_of(const MeasuredValue& value, const std::string& process);

/// "value1_sum", "_mean", "_least", "_greatest" and "_missing" of `count` values; with `has_processes` also
/// "_least_at" and "_greatest_at".
void add_value_names(std::vector<std::string>& names, std::size_t count, bool has_processes);
/// The cells of one value, in the order of the names. Missing values are null, as is a sum that is not
/// finite.
void add_value_cells(std::vector<Json>& row, const NumberSpread& value, bool has_processes);

}  // namespace eventspace
