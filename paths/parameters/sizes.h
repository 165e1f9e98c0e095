#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// Parses a number of bytes with an optional unit: "4096", "64KiB", "2MB". Returns nothing if `text` has
/// another form.
std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept;
/// Returns `bytes` in the largest of GiB, MiB, KiB and bytes that is exact.
std::string format_bytes(std::int64_t bytes);

}  // namespace eventspace
