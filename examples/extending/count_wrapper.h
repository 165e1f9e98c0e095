#pragma once

#include <atomic>
#include <cstdint>

#include "paths/wrappers.h"

namespace example {

/// `count: {verb: write}` counts the operations of one verb that pass it: a template for wrappers on paths.
eventspace::WrapperInfo count_wrapper();

/// What all `count` wrappers of this process counted.
extern std::atomic<std::uint64_t> counted;

}  // namespace example
