#pragma once

// Private to monitors/.

#include <cstddef>
#include <optional>
#include <vector>

#include "tuplespace/tuple.h"

namespace eventspace {

/// Whether this build can unpack (it was built with liblzma).
bool can_unpack_symbols() noexcept;

/// Unpacks the small table of symbols that distributions leave in stripped files (the section
/// `.gnu_debugdata`, compressed by xz). Returns nothing if the bytes are no such thing, if what comes out or
/// the memory for it has more than 64 MiB, and in builds without liblzma.
std::optional<std::vector<std::byte>> unpacked_symbols(Bytes packed);

}  // namespace eventspace
