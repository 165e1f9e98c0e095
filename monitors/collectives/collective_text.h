#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "monitors/collectives/operation_report.h"

namespace eventspace {

// Reports on collective operations as text for users.

/// "t3..t19, t40", or, if that is long, "t3, t5, t9 and 12 more (--format json names all)"
std::string names_of(const CollectiveShape& shape, const std::vector<std::size_t>& edges);
/// "t17 came last, 3.2ms +-12us after the second"; "the last arrivals are indistinguishable: t3, t4".
std::string describe_last(const CollectiveShape& shape, const LastOf& last);
/// "139 threads waited 412ms for t17"; empty when it is uncertain for which thread they waited.
std::string describe_waiting(const CollectiveShape& shape, const OperationReport& report);
/// "open for 1.2s, absent: t3"; "broken, absent: t3": of an operation without a result. `open_for`: how long
/// it has been seen open.
std::string describe_absent(const CollectiveShape& shape, const OperationReport& report,
                            std::chrono::nanoseconds open_for);
/// The sum of the times that all threads but the last waited until all had come.
Difference waiting_of(const OperationReport& report);

}  // namespace eventspace
