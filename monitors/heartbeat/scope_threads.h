#pragma once

#include <cstdint>
#include <vector>

#include "pathmaps/plan/plan.h"

namespace eventspace {

/// The numbers of the threads whose trace elements a scope reads, ascending.
std::vector<std::uint32_t> threads_read_by(const ScopeTree& tree, const Plan& plan);

}  // namespace eventspace
