#pragma once

#include <chrono>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/probing/groups/spread.h"
#include "monitors/probing/measuring/probe_task.h"

namespace eventspace {

/// The counts and times of probes in processes of several machines: a row for each function, the most often
/// called first. Times are nanoseconds, in text short durations. Values that no process has sent are empty.
ResultTable spread_table(std::vector<FunctionSpread> functions, std::chrono::nanoseconds watched,
                         const CompiledTask& task, Format format);

/// The distribution of call durations in all these processes together: a row for each range of times that has
/// calls.
ResultTable spread_histogram_table(std::vector<FunctionSpread> functions, Format format);

}  // namespace eventspace
