#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eventspace {

/// The longest pattern, and the longest text, that glob_match accepts, in bytes.
inline constexpr std::size_t glob_longest = 256;

/// Whether `text` matches `pattern`. `*` matches any characters except '/', `**` any characters, `?` one
/// character except '/', `[3-17]` a decimal number in that range (all digits that follow, without leading
/// zeros), and `{a,b}` either pattern; other characters match themselves. "t[0-34]" matches t0 to t34. A
/// pattern with a glob_fault, or a text longer than glob_longest, matches nothing. Time and stack are at most
/// proportional to the product of the two lengths. Thread-safe.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

/// Returns the fault of `pattern`, to follow its name in a message, such as "is empty"; empty if valid.
std::string_view glob_fault(std::string_view pattern) noexcept;

/// A number of a range in a pattern that does not occur in any name.
struct UnusedNumber {
  std::uint64_t number;  ///< the least
  std::string range;     ///< "[4-8]", of the pattern
};

/// Returns a number in a range of `pattern` that none of the matching `names` has. Nullopt if all numbers are
/// used, or the pattern is invalid or has very many alternatives. For "t[4-8]" and t4 to t7: 8. Thread-safe.
std::optional<UnusedNumber> unused_number(std::string_view pattern, std::span<const std::string_view> names);

}  // namespace eventspace
