#pragma once

// Private to paths/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// A number of bytes as people write it: "4096", "64KiB", "2MB"; nothing when `text` has another form.
std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept;
/// In the largest of GiB, MiB, KiB and bytes that is exact.
std::string format_bytes(std::int64_t bytes);

}  // namespace eventspace
