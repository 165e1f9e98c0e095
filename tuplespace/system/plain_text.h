#pragma once

// Private to tuplespace/.

#include <cstddef>
#include <string>
#include <string_view>

namespace eventspace {

/// Returns whether `text` is valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F), so
/// that it can be shown on a terminal.
bool is_plain_text(std::string_view text) noexcept;

/// Returns `text` if it is plain and has at most `most` bytes. Else returns its first `most` bytes with '?'
/// for each byte that is no printable character of ASCII.
std::string made_plain(std::string_view text, std::size_t most);

}  // namespace eventspace
