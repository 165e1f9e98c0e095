#pragma once

#include <cstdint>

#include "monitors/probing/code/entry_check.h"

namespace eventspace {

/// How many bytes from `end` on, up to `wanted` and up to the next multiple of 16, are padding: instructions
/// without effect that no branch leads to, and where no function begins. After that multiple, code without a
/// symbol may begin. Returns up to 14 bytes more than wanted, as instructions are whole. Pure.
std::uint64_t padding_behind(const EntryCheck& check, std::uint64_t end, std::uint64_t wanted);

}  // namespace eventspace
