#pragma once

// Private to monitors/.

#include <cstdint>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The threads whose trace elements a scope reads, by their numbers, ascending.
std::vector<std::uint32_t> threads_read_by(const ScopeTree& tree, const Plan& plan);

}  // namespace eventspace
