#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/profile/job_profile.h"

namespace eventspace {

/// The communication matrix with a limited number of rows and columns: if there are more participants,
/// neighbours share a row and column. Plain data.
struct FlowBins {
  struct Cell {
    std::size_t row{0};     ///< the sender
    std::size_t column{0};  ///< the receiver
    std::uint64_t messages{0};
    std::uint64_t bytes{0};
    std::chrono::nanoseconds late{0};
  };
  std::vector<std::string> rows{};  ///< names, as "rank 2" or "rank 2 .. rank 3"; the columns have the same
  std::size_t participants{0};
  std::size_t share{1};       ///< how many participants share a row; the last row may have fewer
  std::vector<Cell> cells{};  ///< by row and column; only those with a message
};

/// Bins the flows over one communicator or path, or all flows if `over` is empty. The rows are the same in
/// both cases. Late times are known only for all flows together. Pure.
FlowBins bin_flows(const std::vector<JobProfile::Flow>& flows, const std::vector<JobProfile::PairLate>& late,
                   std::size_t most_rows, const std::optional<std::string_view>& over = {});

}  // namespace eventspace
