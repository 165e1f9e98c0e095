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

/// Throws ConfigurationError unless `name` has 1 to `most` bytes and is plain. The message
/// calls it the name of `what`, such as "a thread".
void require_plain_name(std::string_view what, std::string_view name, std::size_t most);

}  // namespace eventspace
