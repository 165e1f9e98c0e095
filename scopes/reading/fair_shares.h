#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eventspace {

/// Divides `total` fairly (max-min) among several receivers and returns the share of each. Shares do not
/// exceed the amounts in `wanted`; unneeded amounts are divided equally among the other receivers. The
/// indivisible remainder goes, one each, to the receivers from index `first` on, so a caller that advances
/// `first` leaves no receiver out for long. No I/O; throws only std::bad_alloc.
std::vector<std::uint64_t> fair_shares(const std::vector<std::uint64_t>& wanted, std::uint64_t total,
                                       std::size_t first);

}  // namespace eventspace
