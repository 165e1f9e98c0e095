#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eventspace {

// Suggestions for misspelt words, for error messages. All functions are thread-safe.

/// Returns the candidate that the user may have meant by `word`: the candidate with the smallest edit
/// distance (insertions, deletions, replacements and swaps of neighbours), if that is at most a third of its
/// length; otherwise empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Returns "; did you mean 'NEAREST'?", if any, then "; known: A, B, C" with at most `most` names.
std::string hint(std::string_view word, std::span<const std::string_view> candidates, std::size_t most = 16);

}  // namespace eventspace
