#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace eventspace {

// Parts of texts in ASCII, whatever the locale is. Pure.

constexpr bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
/// Whether `text` has only letters, digits and characters of `others`.
constexpr bool has_only_letters_digits_or(std::string_view others, std::string_view text) noexcept {
  return std::ranges::all_of(
      text, [others](char c) { return is_letter_or_digit(c) || others.find(c) != std::string_view::npos; });
}

/// `text` without leading and trailing blanks.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Removes the first word of `text` and the blanks before it, and returns the word; empty if there is none.
constexpr std::string_view take_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace eventspace
