#pragma once

#include <vector>

#include "monitors/charts/picture.h"
#include "monitors/whatif/asking/answer.h"

namespace eventspace::whatif {

// The communication profiles of figures 5.1 to 5.14 of Zabel (1996). REQUIRES: the answers have traces.

/// The aggregate profile of an answer: bytes and messages from each task to each other task. Up to eight
/// tasks are bars, a group for each sender; more are a matrix, which has the first 64. Pure.
Picture draw_flows(const Program& program, const Answer& answer);

/// The dynamic profile: the bytes and messages that all tasks sent in equal spans of time, below each other
/// for each answer. At most six answers; others are counted. Pure.
Picture draw_course(const std::vector<Answer>& answers);

}  // namespace eventspace::whatif
