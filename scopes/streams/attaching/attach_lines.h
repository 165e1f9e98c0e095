#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <eventspace/rank_set.h>
#include <eventspace/streams.h>

namespace eventspace::streams {

/// The attach points that a text offers to a back-end: the place of this rank, if the text has it; without a
/// rank, one for each line. Throws ConfigurationError, which names `source`, for an invalid text.
[[nodiscard]] std::vector<AttachPoint> attach_points(std::string_view text,
                                                     std::optional<RankSet::Rank> rank = {},
                                                     std::string_view source = "attach point");
/// A line of the text: all ranks that attach at one endpoint.
[[nodiscard]] std::string attach_line(const AttachPoint& point, const RankSet& places);

}  // namespace eventspace::streams
