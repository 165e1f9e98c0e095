#pragma once

// Private to monitors/.

#include <cstdint>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// How many of at most `wanted` bytes from `end` on, up to the next multiple of 16, are padding: instructions
/// that do nothing, to which nothing leads and where no function begins. Behind that multiple code that no
/// symbol names may begin. At most 14 bytes more than wanted, as instructions are whole. Pure.
std::uint64_t padding_behind(const EntryCheck& check, std::uint64_t end, std::uint64_t wanted);

}  // namespace eventspace
