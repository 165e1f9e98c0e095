#pragma once

// Private to monitors/.

#include <cstddef>
#include <string>
#include <vector>

#include "monitors/profile/job_profile.h"

namespace eventspace {

/// The communication matrix as a picture, in Graphviz' language (monitors/drawing/graphviz.h): a row for each
/// sender and a column for each receiver; darker cells have more bytes, on a logarithmic scale. All
/// communicators or paths are added up. With more than `most` participants, neighbours share a row and
/// column. Pure.
std::string matrix_picture(const std::vector<JobProfile::Flow>& flows, std::size_t most = 64);

}  // namespace eventspace
