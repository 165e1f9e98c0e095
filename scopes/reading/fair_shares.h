#pragma once

// Private to scopes/.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eventspace {

/// Divides `total` among those who want `wanted` each: nobody gets more than is wanted, and what some leave
/// goes to the others in equal parts, so that nobody gets less than an equal part while another gets more.
/// What does not divide goes, one each, to those from place `first` on, so that with a `first` that moves
/// nobody is left out for good. Pure.
std::vector<std::uint64_t> fair_shares(const std::vector<std::uint64_t>& wanted, std::uint64_t total,
                                       std::size_t first);

}  // namespace eventspace
