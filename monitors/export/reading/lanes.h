#pragma once

// Private to monitors/.

#include <cstdint>
#include <vector>

namespace eventspace::exports {

/// Puts the slices of one track on lanes, so that those of a lane lie within each other or apart: on the
/// first lane where that is so. Slices come in the order of their begins, of those that begin together the
/// longer first. Pure.
class Lanes {
 public:
  static constexpr std::uint32_t most = 256;
  /// Returns the lane, from 0. If all `most` lanes are taken, it is the last one, and `end` is made that of
  /// the slice in which it begins.
  std::uint32_t place(std::int64_t begin, std::int64_t& end);

 private:
  std::vector<std::vector<std::int64_t>>
      open_;  // by lane, the ends of slices that have not ended, inner last
};

}  // namespace eventspace::exports
