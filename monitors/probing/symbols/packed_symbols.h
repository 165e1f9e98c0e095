#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <eventspace/tuple.h>

namespace eventspace {

/// Whether this build can unpack (it was built with liblzma).
bool can_unpack_symbols() noexcept;

/// Unpacks the small symbol table that distributions leave in stripped files (the section `.gnu_debugdata`,
/// compressed by xz). Returns nullopt if the bytes are invalid, if the result or the memory for unpacking
/// exceeds 64 MiB, and in builds without liblzma.
std::optional<std::vector<std::byte>> unpacked_symbols(Bytes packed);

}  // namespace eventspace
