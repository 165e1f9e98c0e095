#pragma once

#include <cstdint>
#include <vector>

namespace eventspace::exports {

/// Assigns the slices of one track to lanes, so that slices of a lane are nested or disjoint: to the first
/// lane where that holds. Slices must come in order of begin; of slices that begin together, the longer
/// first. Pure.
class Lanes {
 public:
  static constexpr std::uint32_t most = 256;
  /// Returns the lane, from 0. If all `most` lanes are taken, returns the last lane, and shortens `end` to
  /// the end of the slice in which it begins.
  std::uint32_t place(std::int64_t begin, std::int64_t& end);

 private:
  std::vector<std::vector<std::int64_t>>
      open_;  // by lane, the ends of slices that have not ended, inner last
};

}  // namespace eventspace::exports
