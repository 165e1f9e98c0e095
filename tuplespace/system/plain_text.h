#pragma once

// Private to tuplespace/.

#include <string_view>

namespace eventspace {

/// Returns whether `text` is valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F), so
/// that it can be shown on a terminal.
bool is_plain_text(std::string_view text) noexcept;

}  // namespace eventspace
