#pragma once

// Private to paths/.

#include <span>
#include <string>
#include <string_view>

namespace eventspace {

/// What the user may have meant by `word`: the candidate reached by the fewest insertions, deletions,
/// replacements and swaps of neighbours, if these are at most a third of its length; else empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "; did you mean 'NEAREST'?" or empty, then "; known: A, B, C" with at most `most` names.
std::string hint(std::string_view word, std::span<const std::string_view> candidates, std::size_t most = 16);

}  // namespace eventspace
