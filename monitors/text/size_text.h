#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace eventspace {

/// Reads a number of bytes with a unit (B, KiB, MiB, GiB or TiB), "100MiB"; a number without a unit is bytes.
/// Nullopt if `text` is not such a number, or is negative or above 2^62. Pure.
std::optional<std::uint64_t> size_from(std::string_view text);

}  // namespace eventspace
