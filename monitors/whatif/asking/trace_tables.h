#pragma once

#include <string>
#include <vector>

#include "monitors/cli/result_table.h"
#include "monitors/whatif/asking/answer.h"

namespace eventspace::whatif {

// Tables of simulation traces, which all answers must have. `heads`: for each answer, the first cells of its
// rows, under `columns`. Times of JSON and CSV are seconds.

/// The critical path: the shares of each task's own work and of the messages of each pair of tasks, except
/// shares of zero.
ResultTable path_table(const Program& program, const std::vector<Answer>& answers,
                       const std::vector<std::string>& columns, const std::vector<std::vector<Json>>& heads);
/// Messages and bytes of each pair of tasks.
ResultTable flow_table(const Program& program, const std::vector<Answer>& answers,
                       const std::vector<std::string>& columns, const std::vector<std::vector<Json>>& heads);
/// Messages and bytes of equal spans of time.
ResultTable course_table(const std::vector<Answer>& answers, const std::vector<std::string>& columns,
                         const std::vector<std::vector<Json>>& heads);

}  // namespace eventspace::whatif
