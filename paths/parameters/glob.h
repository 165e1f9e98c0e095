#pragma once

// Private to paths/.

#include <cstddef>
#include <string_view>

namespace eventspace {

/// The longest pattern, and the longest text, that glob_match looks at.
inline constexpr std::size_t glob_longest = 256;

/// Whether `text` matches `pattern`: `*` is any run of characters without '/', `**` any run, `?` one
/// character but '/', `[3-17]` a decimal number in that range (all digits that follow, no leading zeros),
/// `{a,b}` either pattern; all else is itself. "t[0-34]" names threads t0 to t34. A pattern with a
/// glob_fault, or a text longer than glob_longest, matches nothing. Takes time and stack of the product of
/// the two lengths at most; pure.
bool glob_match(std::string_view pattern, std::string_view text) noexcept;

/// What is wrong with `pattern` (unclosed bracket, empty range ...), such as "is empty"; empty when nothing
/// is.
std::string_view glob_fault(std::string_view pattern) noexcept;

}  // namespace eventspace
