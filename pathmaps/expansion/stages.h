#pragma once

#include <string_view>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// Reads the list of path wrappers under `key` of `row`. Returns those without faults.
std::vector<StagePlan> read_stages(const reading::Mapping& row, std::string_view key);

}  // namespace eventspace::expansion
