#pragma once

// Private to monitors/whatif/actions/.

#include <optional>
#include <string>
#include <string_view>

namespace eventspace::whatif {

/// Any text as one word of a text of a program: blanks, "#", "%" and what is no printable ASCII become "%20"
/// and the like. The empty text is "%".
std::string to_word(std::string_view text);
/// Nullopt: it is no such word.
std::optional<std::string> text_of_word(std::string_view word);

}  // namespace eventspace::whatif
