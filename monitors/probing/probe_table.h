#pragma once

// Private to monitors/.

#include <chrono>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace {

/// What probes have counted and measured in `watched`: a row for each function of each process, the most
/// often called one first. Times are nanoseconds, in text short durations.
ResultTable probe_table(const std::vector<ProbedProcess>& processes, const CompiledTask& task,
                        std::chrono::nanoseconds watched, Format format);

/// How many calls took how long: a row for each power of two of nanoseconds in which there are any.
ResultTable histogram_table(const std::vector<ProbedProcess>& processes, Format format);

}  // namespace eventspace
