#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace {

/// Returns whether `text` is valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F), so
/// that it can be shown on a terminal.
bool is_plain_text(std::string_view text) noexcept;

/// Returns `text` if it is plain and has at most `most` bytes. Otherwise returns its first `most` bytes with
/// '?' for each byte that is not a printable ASCII character.
std::string made_plain(std::string_view text, std::size_t most);

/// The treatment of newlines by escaped().
enum class Newlines : std::uint8_t {
  escaped,  ///< for a name, or a text inside a line: it cannot begin a new line
  kept      ///< for whole lines
};

/// Returns `text` with escapes in place of characters that a terminal would obey instead of showing them:
///
///     \n               a newline, unless newlines are kept
///     \u001b, \u009b  a control character (U+0000 to U+001F, U+007F to U+009F)
///     \u202e          a character that changes the direction of the text around it (Unicode's Bidi_Control),
///                     and U+2028 and U+2029, which separate lines
///     \xff            a byte that is not part of valid UTF-8
///
/// The result is valid UTF-8, and escaping it again does not change it. A backslash in `text` stays as it is.
/// The first three are also escapes of JSON, so that a JSON text of valid UTF-8 stays the same JSON text.
std::string escaped(std::string_view text, Newlines newlines = Newlines::escaped);

/// Returns how many bytes at the end of `text` may be the beginning of a character whose other bytes are
/// missing: 0 to 3.
std::size_t unfinished_tail(std::string_view text) noexcept;

/// Throws ConfigurationError unless `name` has 1 to `most` bytes and is plain. The message
/// calls it the name of `what`, such as "a thread".
void require_plain_name(std::string_view what, std::string_view name, std::size_t most);

}  // namespace eventspace
