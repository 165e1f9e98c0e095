#pragma once

#include <chrono>
#include <vector>

#include "monitors/cli/options.h"
#include "monitors/cli/result_table.h"
#include "monitors/probing/work/probed_process.h"

namespace eventspace {

/// The counts and times of probes during `watched`: a row for each function of each process, the most often
/// called first. Times are nanoseconds, in text short durations.
ResultTable probe_table(const std::vector<ProbedProcess>& processes, const CompiledTask& task,
                        std::chrono::nanoseconds watched, Format format);

/// The distribution of call durations: a row for each power of two of nanoseconds that has calls.
ResultTable histogram_table(const std::vector<ProbedProcess>& processes, Format format);

}  // namespace eventspace
