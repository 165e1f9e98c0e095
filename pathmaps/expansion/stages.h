#pragma once

// Private to pathmaps/.

#include <string_view>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

/// A list of wrappers on a path, under `key` of `row`; the ones without faults.
std::vector<StagePlan> read_stages(const reading::Mapping& row, std::string_view key);

}  // namespace eventspace::expansion
