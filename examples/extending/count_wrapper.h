#pragma once

#include <atomic>
#include <cstdint>

#include "paths/wrappers.h"

namespace example {

/// A template for wrappers on paths: `count: {verb: write}` counts the successful operations of one verb.
eventspace::WrapperInfo count_wrapper();

/// The sum of the counts of all `count` wrappers in this process.
extern std::atomic<std::uint64_t> counted;

}  // namespace example
