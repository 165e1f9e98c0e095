#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eventspace::whatif {

/// Encodes any text as one word of a program text: blanks, "#", "%" and characters outside printable ASCII
/// become "%20" and the like. The empty text is "%".
std::string to_word(std::string_view text);
/// Nullopt means that it is not such a word.
std::optional<std::string> text_of_word(std::string_view word);

}  // namespace eventspace::whatif
