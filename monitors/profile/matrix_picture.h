#pragma once

#include <vector>

#include "monitors/charts/picture.h"
#include "monitors/profile/job_profile.h"

namespace eventspace {

/// Draws the communication matrix: a row for each sender and a column for each receiver; darker cells have
/// more bytes, on a logarithmic scale. All communicators or paths are added up. With more than
/// max_matrix_rows participants, neighbours share a row and column. Pure.
Picture draw_flows(const std::vector<JobProfile::Flow>& flows);

}  // namespace eventspace
